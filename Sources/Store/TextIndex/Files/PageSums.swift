import Foundation
import GRDBSQLite
import Processes

/// A checksum in every page of the index's SQLite files, verified whenever SQLite reads a page and written whenever it
/// writes one.
///
/// So a damaged page is never interpreted, and a search verifies only the pages that it reads. The layout is that of
/// SQLite's own `cksumvfs` extension: the last 8 bytes of a page, which every SQLite ignores, hold the sum of the
/// others, and byte 20 of the header is 8. Files of older programs, without sums, are read as they are.
enum PageSums {
    /// The number of bytes at the end of a page that SQLite does not use.
    static let reserved = 8
    /// The name under which files are opened with sums; the parameter `sums=1` means that a file is being created.
    static let name = "framegrep-sums"

    /// Registers the name with SQLite; false if SQLite has no file system of its own.
    static let isReady: Bool = {
        guard let system = sqlite3_vfs_find(nil) else { return false }
        // SQLite keeps both for the lifetime of the process.
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: system.pointee)
        own.pointee.pNext = nil
        own.pointee.zName = UnsafePointer(strdup(name))
        own.pointee.szOsFile = Int32(stateOffset + MemoryLayout<FileState>.stride)
        // Its other functions use neither of these.
        own.pointee.pAppData = UnsafeMutableRawPointer(system)
        own.pointee.xOpen = openFile
        return sqlite3_vfs_register(own, 0) == SQLITE_OK
    }()

    /// The offset of a file's state, after that of the system's own functions.
    fileprivate static let stateOffset: Int = {
        let size = Int(sqlite3_vfs_find(nil)?.pointee.szOsFile ?? 0)
        let alignment = MemoryLayout<FileState>.alignment
        return (size + alignment - 1) / alignment * alignment
    }()

    /// The code of a file control that asks an open file whether its pages have sums. SQLite's own codes are smaller.
    static let question: Int32 = 0x6672_6770

    /// Returns the sum of all but the last 8 bytes of a page: two Fletcher sums, as in `cksumvfs`. Any change of a
    /// single number changes it.
    static func sum(of page: UnsafeRawBufferPointer) -> UInt64 {
        var (first, second): (UInt32, UInt32) = (0, 0)
        for offset in stride(from: 0, to: page.count - reserved, by: 8) {
            first &+= UInt32(littleEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) &+ second
            second &+= UInt32(littleEndian: page.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)) &+ first
        }
        return UInt64(first) | UInt64(second) << 32
    }

    /// Returns the sum that is stored in a page.
    static func kept(in page: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(littleEndian: page.loadUnaligned(fromByteOffset: page.count - reserved, as: UInt64.self))
    }

    /// Returns whether the pages of a file have sums, if these bytes are its beginning; nil if they are not.
    fileprivate static func isSummed(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool? {
        guard offset == 0, bytes.count >= 100, bytes.starts(with: "SQLite format 3\0".utf8) else { return nil }
        return bytes[20] == UInt8(reserved)
    }

    /// Returns whether this is the size of a whole page.
    fileprivate static func isPage(_ count: Int) -> Bool { count >= 512 && count & (count - 1) == 0 }

    /// Reads a whole file that is not being written, and verifies each page.
    ///
    /// - Returns: false if its pages have no sums.
    /// - Throws: `ByteReader.Damage` if a page is not as it was written, or pages are missing; the errors of reading.
    static func check(fileAt path: String) throws -> Bool {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        guard let head = try file.read(upToCount: 100), head.count == 100 else { throw ByteReader.Damage() }
        guard head.withUnsafeBytes({ isSummed($0, at: 0) }) == true else { return false }
        let size = Int(head[16]) << 8 | Int(head[17])
        let count = head[28..<32].reduce(0) { $0 << 8 | Int($1) }
        let length = try file.seekToEnd()
        guard isPage(size), count > 0, length == UInt64(size) * UInt64(count) else { throw ByteReader.Damage() }
        try file.seek(toOffset: 0)
        let atATime = max(1, (1 << 20) / size) * size
        while let bytes = try file.read(upToCount: atATime), !bytes.isEmpty {
            guard bytes.count % size == 0 else { throw ByteReader.Damage() }
            let isWhole = bytes.withUnsafeBytes { bytes in
                stride(from: 0, to: bytes.count, by: size).allSatisfy { start in
                    let page = UnsafeRawBufferPointer(rebasing: bytes[start..<start + size])
                    return sum(of: page) == kept(in: page)
                }
            }
            guard isWhole else { throw ByteReader.Damage() }
        }
        return true
    }
}

/// The state of an open file, in addition to that of the system's own functions.
private struct FileState {
    /// The system's functions.
    var original: UnsafePointer<sqlite3_io_methods>
    /// The same functions, with ours for reading, writing and file controls, or for syncing a journal; without mapped
    /// memory and shared journals.
    var methods: sqlite3_io_methods
    var isSummed: Bool
    /// The path of a journal whose folder is not synced yet, which SQLite keeps until it closes the file.
    var newJournal: UnsafePointer<CChar>?
}

private func state(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<FileState> {
    (UnsafeMutableRawPointer(file) + PageSums.stateOffset).assumingMemoryBound(to: FileState.self)
}

private func openFile(
    _ own: UnsafeMutablePointer<sqlite3_vfs>?, name: UnsafePointer<CChar>?,
    file: UnsafeMutablePointer<sqlite3_file>?, flags: Int32, outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let system = own?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self), let file,
        let open = system.pointee.xOpen
    else { return SQLITE_CANTOPEN }
    let status = open(system, name, file, flags, outFlags)
    let isJournal = flags & SQLITE_OPEN_MAIN_JOURNAL != 0
    // Temporary files stay as they are.
    guard status == SQLITE_OK, isJournal || flags & SQLITE_OPEN_MAIN_DB != 0, let original = file.pointee.pMethods
    else { return status }
    let place = state(of: file)
    place.initialize(to: FileState(original: original, methods: original.pointee, isSummed: false))
    place.pointee.methods.iVersion = 1
    if isJournal {
        place.pointee.newJournal = name
        place.pointee.methods.xSync = syncJournal
    } else {
        place.pointee.isSummed = sqlite3_uri_boolean(name, "sums", 0) != 0
        place.pointee.methods.xRead = readPage
        place.pointee.methods.xWrite = writePage
        place.pointee.methods.xFileControl = control
    }
    file.pointee.pMethods = UnsafePointer(place.pointer(to: \.methods))
    return status
}

private func readPage(
    _ file: UnsafeMutablePointer<sqlite3_file>?, buffer: UnsafeMutableRawPointer?, count: Int32, offset: Int64
) -> Int32 {
    guard let file, let buffer else { return SQLITE_IOERR }
    let place = state(of: file)
    let status = place.pointee.original.pointee.xRead(file, buffer, count, offset)
    guard status == SQLITE_OK else { return status }
    let bytes = UnsafeRawBufferPointer(start: buffer, count: Int(count))
    if let isSummed = PageSums.isSummed(bytes, at: offset) { place.pointee.isSummed = isSummed }
    guard place.pointee.isSummed, PageSums.isPage(bytes.count) else { return status }
    return PageSums.sum(of: bytes) == PageSums.kept(in: bytes) ? status : SQLITE_CORRUPT
}

private func writePage(
    _ file: UnsafeMutablePointer<sqlite3_file>?, buffer: UnsafeRawPointer?, count: Int32, offset: Int64
) -> Int32 {
    guard let file, let buffer else { return SQLITE_IOERR }
    let place = state(of: file)
    let bytes = UnsafeRawBufferPointer(start: buffer, count: Int(count))
    if let isSummed = PageSums.isSummed(bytes, at: offset) { place.pointee.isSummed = isSummed }
    if place.pointee.isSummed, PageSums.isPage(bytes.count) {
        // SQLite's copy of the page may get the sum too, because its last bytes are not used for anything else.
        let sum = PageSums.sum(of: bytes).littleEndian
        UnsafeMutableRawPointer(mutating: buffer).storeBytes(of: sum, toByteOffset: bytes.count - 8, as: UInt64.self)
    }
    return place.pointee.original.pointee.xWrite(file, buffer, count, offset)
}

/// Syncs a journal, and its name in the folder. SQLite does that too, but ignores whether the folder could be synced: if
/// the power then failed during the transaction, the journal could be missing that undoes its half.
private func syncJournal(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
    guard let file else { return SQLITE_IOERR }
    let place = state(of: file)
    let status = place.pointee.original.pointee.xSync(file, flags)
    guard status == SQLITE_OK, let journal = place.pointee.newJournal else { return status }
    var folder = Array(UnsafeBufferPointer(start: journal, count: strlen(journal)))
    folder.removeLast(folder.count - max(1, folder.lastIndex(of: CChar(UInt8(ascii: "/"))) ?? 0))
    let descriptor = open(folder + [0], O_RDONLY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    // A folder that may not be read cannot be synced.
    let failure = descriptor >= 0 ? PipeBytes.failure(syncing: descriptor) : errno == EACCES ? nil : errno
    guard failure == nil else { return SQLITE_IOERR }
    place.pointee.newJournal = nil
    return SQLITE_OK
}

private func control(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ operation: Int32, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let file else { return SQLITE_NOTFOUND }
    let place = state(of: file)
    guard operation == PageSums.question else {
        return place.pointee.original.pointee.xFileControl(file, operation, argument)
    }
    argument?.storeBytes(of: place.pointee.isSummed ? 1 : 0, as: Int32.self)
    return SQLITE_OK
}
