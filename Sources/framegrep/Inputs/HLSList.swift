import Foundation
import Spotter
import TextSpotting

/// A list of segments or of other lists in a file (HLS, RFC 8216).
struct HLSList {
    /// The files that it leads to, as paths, without addresses on the network.
    let parts: [String]

    /// A list of a day in segments of two seconds has some megabytes.
    private static let limit = 16 << 20

    /// - Parameter path: of a list; one that cannot be read leads nowhere.
    init(path: String) {
        guard let bytes = try? TextFile.bytes(ofFile: path, limit: Self.limit) else {
            parts = []
            return
        }
        let folder = FileIdentity.split(path).folder
        parts = bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }).compactMap {
            line in
            Self.address(in: FileName.text(of: line)).flatMap { Self.path($0, in: folder) }
        }
    }

    /// The address in a line of the list: the line itself, or the `URI` of a tag.
    private static func address(in line: String) -> String? {
        let line = line.trimmingCharacters(in: .whitespaces)
        guard line.hasPrefix("#") else { return line.isEmpty ? nil : line }
        guard line.hasPrefix("#EXT"), let mark = line.range(of: "URI=\"") else { return nil }
        let rest = line[mark.upperBound...]
        return rest.firstIndex(of: "\"").map { String(rest[..<$0]) }
    }

    private static func path(_ address: String, in folder: String) -> String? {
        var address = address
        if address.contains("://") {
            guard address.hasPrefix("file://") else { return nil }
            address = String(address.dropFirst("file://".count))
        }
        let name = address.removingPercentEncoding ?? address
        return name.hasPrefix("/") ? name : folder + "/" + name
    }
}
