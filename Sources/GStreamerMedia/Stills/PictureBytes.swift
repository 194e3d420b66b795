/// The bytes of a picture, read on demand; bytes beyond the end read as 0.
struct PictureBytes {
    /// - Parameters: an offset, and how many bytes are wanted. Returns fewer at the end.
    let read: (_ offset: Int, _ count: Int) -> [UInt8]

    init(_ read: @escaping (_ offset: Int, _ count: Int) -> [UInt8]) {
        self.read = read
    }

    /// A number whose first byte counts most.
    func big(_ offset: Int, _ count: Int) -> Int { number(read(offset, count), count) }

    /// A number whose last byte counts most.
    func little(_ offset: Int, _ count: Int) -> Int {
        let bytes = read(offset, count)
        return bytes.count == count ? number(bytes.reversed(), count) : 0
    }

    func text(_ offset: Int, _ count: Int) -> String { String(decoding: read(offset, count), as: UTF8.self) }

    /// Where a row of bytes stands in the beginning of the file.
    func places(of wanted: [UInt8], within count: Int) -> [Int] {
        let bytes = read(0, count)
        guard let first = wanted.first, bytes.count >= wanted.count else { return [] }
        return (0...(bytes.count - wanted.count)).filter {
            bytes[$0] == first && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
        }
    }

    private func number(_ bytes: [UInt8], _ count: Int) -> Int {
        bytes.count == count ? bytes.reduce(0) { $0 << 8 | Int($1) } : 0
    }
}
