/// The widths a straightened line may be given.
///
/// The network is compiled once for all of them, which takes a ninth of the time and half of the memory of compiling it
/// for each and runs a tenth slower; but each width that comes up costs some 10 ms once, so they are in steps of about a
/// sixth, which waste a twelfth of the work on average.
enum WidthBuckets {
    /// The height of every straightened line, in pixels; the recognizer was trained with it.
    static let height = 48
    /// In pixels, ascending, each a multiple of 8 (one step of the recognizer's output).
    static let all = [
        64, 80, 96, 112, 128, 152, 176, 208, 240, 280, 328, 384, 448, 520, 608, 704, 824, 960, 1120, 1304, 1520, 1920,
        2304,
        2816, 3328, 3840,
    ]

    static var range: ClosedRange<Int> { all[0]...widest }

    /// The widest line that is not squeezed, in pixels.
    static let widest = all[all.count - 1]

    /// How wide a line that is `ratio` times as wide as tall becomes, and the bucket it is put into.
    static func fit(ratio: Double) -> (content: Int, bucket: Int) {
        let wanted = (Double(height) * max(0, ratio)).rounded(.up)
        let content = wanted < Double(widest) ? max(8, Int(wanted)) : widest
        return (content, all.first { $0 >= content } ?? widest)
    }
}
