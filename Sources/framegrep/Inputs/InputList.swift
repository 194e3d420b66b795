import Errors
import Spotter
import TextSpotting

/// A list of inputs (`--files-from`): a name a line, or a zero byte after each.
struct InputList {
    let path: String
    let endsWithZero: Bool

    /// Names of a million files; a longer list is rejected.
    private static let limit = 256 << 20

    /// - Throws: ``FramegrepError`` (`badArgument`) if the list cannot be read or holds nothing.
    func names() throws -> [String] {
        let bytes: [UInt8]
        do throws(TextFile.Failure) {
            bytes = try TextFile.bytes(ofFile: path, limit: Self.limit)
        } catch {
            let reason =
                switch error {
                case .unreadable(let reason): reason
                case .tooLong: "it is longer than \(Self.limit >> 20) MiB"
                case .noText: "it is no text"
                }
            throw FramegrepError(.badArgument, "The list \(path) cannot be read: \(reason).")
        }
        // Names of files are bytes.
        let end = UInt8(ascii: endsWithZero ? "\0" : "\n")
        let names = bytes.split(separator: end).map { line in
            FileName.text(of: !endsWithZero && line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }.filter { !$0.isEmpty }
        guard !names.isEmpty else {
            throw FramegrepError(.badArgument, "The list \(path) names no input; write one a line.")
        }
        return names
    }
}
