/// The widths a straightened line may be given: a network is compiled for each, so there are few.
enum WidthBuckets {
    /// The height of every straightened line, in pixels; the recognizer was trained with it.
    static let height = 48
    /// In pixels, ascending, each a multiple of 8 (one step of the recognizer's output).
    static let all = [80, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840]

    /// The widest line that is not squeezed, in pixels.
    static let widest = all[all.count - 1]

    /// How wide a line that is `ratio` times as wide as tall becomes, and the bucket it is put into.
    static func fit(ratio: Double) -> (content: Int, bucket: Int) {
        let wanted = (Double(height) * max(0, ratio)).rounded(.up)
        let content = wanted < Double(widest) ? max(8, Int(wanted)) : widest
        return (content, all.first { $0 >= content } ?? widest)
    }
}
