import Foundation

/// The names of the boxes that an MP4 consists of. A properly finished one has its index, `moov`, at its end.
func boxes(of path: String) throws -> [String] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    func number(at place: Int, bytes count: Int) -> Int {
        bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }
    var names: [String] = []
    var place = 0
    while place + 16 <= bytes.count {
        names.append(String(decoding: bytes[place + 4..<place + 8], as: UTF8.self))
        let size = number(at: place, bytes: 4)
        let whole = size == 1 ? number(at: place + 8, bytes: 8) : size
        guard whole >= 8, whole <= bytes.count else { break }
        place += whole
    }
    return names
}
