import TextSpotting

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}

extension StreamTime {
    /// As much time as has passed on the clock on the wall.
    init(_ duration: Duration) {
        self.init(nanoseconds: Int64(duration.milliseconds * 1e6))
    }
}
