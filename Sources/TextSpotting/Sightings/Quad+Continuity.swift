extension Quad {
    /// How well another box, of a later frame, continues this one: their overlap, or 0 when they are apart.
    public func continuity(to other: Quad) -> Double {
        let overlap = bounds.overlap(other.bounds)
        if overlap > 0.1 { return overlap }
        // A small word may have moved by more than itself between two readings; then its size still is the same.
        let near = (center - other.center).length < 1.5 * max(height, other.height)
        let alike = abs(width - other.width) < 0.3 * max(width, other.width)
        return near && alike ? 0.05 : 0
    }
}
