import GStreamerMedia

extension VideoInfo {
    /// Width of a displayed pixel divided by its height; 1 where the caps say nothing that makes sense.
    var pixelAspect: Double {
        let (n, d) = (pixelAspectRatio.numerator, pixelAspectRatio.denominator)
        return n > 0 && d > 0 ? Double(n) / Double(d) : 1
    }
}
