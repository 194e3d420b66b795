import Foundation
import TestSupport
import Testing
import TextSpotting

@testable import NeuralOCR

/// Compiled networks that are kept for the next run.
@Suite struct NetworkCacheTests {
    private let folder: TemporaryFolder
    private let cache: NetworkCache
    private var networks: String { folder.file("framegrep/networks") }

    init() throws {
        folder = try TemporaryFolder()
        cache = try #require(NetworkCache(in: folder.path))
    }

    private func files() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: networks)) ?? []).sorted()
    }

    /// Returns the inode numbers of the files; a number changes if its file was written again.
    private func numbers() throws -> [Int?] {
        try files().map {
            try FileManager.default.attributesOfItem(atPath: networks + "/" + $0)[.systemFileNumber] as? Int
        }
    }

    @Test func whatIsKeptComesBackUnderItsNameOnly() throws {
        let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(cache.take("a") == nil)
        cache.put(content, as: "a")
        cache.put([7], as: "b")
        #expect(cache.bytes("a") == content && cache.bytes("b") == [7])
        #expect(cache.take("c") == nil)
        cache.remove("a")
        #expect(cache.take("a") == nil && cache.bytes("b") == [7])
    }

    @Test func whatIsLetGoOfIsReadAgain() throws {
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        cache.put(content, as: "a name of some length")
        let kept = try #require(cache.take("a name of some length"))
        #expect(UInt(bitPattern: kept.bytes.baseAddress) % 64 == 0)
        kept.letGo()
        #expect(kept.bytes.elementsEqual(content))
        // A new file replaces the old one and does not change it.
        cache.put([1], as: "a name of some length")
        kept.letGo()
        #expect(kept.bytes.elementsEqual(content))
    }

    @Test func nobodyElseReadsOrWritesThere() throws {
        cache.put([1, 2], as: "a")
        for path in [networks, networks + "/" + (try #require(files().first))] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect((mode ?? 0o777) & 0o077 == 0, "\(path)")
        }
        chmod(networks, 0o777)
        #expect(NetworkCache(in: folder.path) == nil)
        try FileManager.default.removeItem(atPath: networks)
        try FileManager.default.createSymbolicLink(atPath: networks, withDestinationPath: "/tmp")
        #expect(NetworkCache(in: folder.path) == nil)
    }

    @Test func whatIsDamagedIsNotTaken() throws {
        let content = [UInt8](repeating: 5, count: 4099)
        cache.put(content, as: "a")
        let path = networks + "/" + (try #require(files().first))
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for place in [0, 25, whole.count / 2, whole.count - 1] {
            var damaged = whole
            damaged[place] ^= 1
            try damaged.write(to: URL(fileURLWithPath: path))
            #expect(cache.take("a") == nil, "\(place)")
        }
        for length in [0, 10, 30, whole.count - 1] {
            try whole.prefix(length).write(to: URL(fileURLWithPath: path))
            #expect(cache.take("a") == nil, "\(length)")
        }
        try whole.write(to: URL(fileURLWithPath: path))
        #expect(cache.bytes("a") == content)
    }

    @Test func whatWasUsedLongestAgoGoesFirst() throws {
        for number in 0..<NetworkCache.limit { cache.put([1], as: "\(number)") }
        for file in files() {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -1000)], ofItemAtPath: networks + "/" + file)
        }
        #expect(cache.bytes("3") == [1], "used now")
        cache.put([1], as: "new")
        cache.put([1], as: "newer")
        #expect(files().count == NetworkCache.limit)
        #expect(cache.take("3") != nil && cache.take("new") != nil && cache.take("newer") != nil)
    }

    /// Networks compiled with one precision are not used with the other, which reads a little differently.
    @Test(
        .enabled(
            if: Engines.isInstalled && NeuralFiles(folder: Engines.installation.folder ?? "").canImport,
            "the neural engine is not installed"))
    func precisionsShareNothingThatIsKept() async throws {
        let installed = try #require(Engines.installation.folder)
        let rendered = RenderedText(
            width: 640, height: 360, lines: [RenderedText.Line(text: "the way to EXIT 12", origin: Point(60, 90))]
        ).picture
        func read(_ precision: NeuralPrecision) async throws -> [TextLine] {
            var settings = NeuralEngine.Settings()
            settings.precision = precision
            return try await NeuralEngine.load(from: installed, settings: settings, cache: cache).reader.read(rendered)
        }
        let exact = try await read(.float32)
        let ofOne = Set(files())
        #expect(exact.map(\.text) == ["the way to EXIT 12"] && ofOne.count == 4)
        let coarse = try await read(.bfloat16)
        #expect(coarse.map(\.text) == ["the way to EXIT 12"])
        #expect(files().count == 2 * ofOne.count && ofOne.isSubset(of: files()))
        #expect(try await read(.float32) == exact)
        #expect(files().count == 2 * ofOne.count)
    }

    @Test(
        .enabled(
            if: Engines.isInstalled && NeuralFiles(folder: Engines.installation.folder ?? "").canImport,
            "the neural engine is not installed"))
    func aKeptNetworkReadsTheSameToTheLastDigit() async throws {
        let installed = try #require(Engines.installation.folder)
        let rendered = RenderedText(
            width: 640, height: 360, lines: [RenderedText.Line(text: "the way to EXIT 12", origin: Point(60, 90))]
        ).picture
        var settings = NeuralEngine.Settings()
        settings.threads = 2
        let anew = try await NeuralEngine.load(from: installed, settings: settings, cache: cache)
        let expected = try await anew.reader.read(rendered)
        #expect(!expected.isEmpty)
        // There are two networks, and two records that their files can be read.
        #expect(files().count == 4)
        let numbers = try numbers()
        let kept = try await NeuralEngine.load(from: installed, settings: settings, cache: cache)
        #expect(try await kept.reader.read(rendered) == expected)
        #expect(try self.numbers() == numbers, "nothing was made anew")
        // An entry that OpenVINO rejects is compiled again.
        for file in files() {
            let path = networks + "/" + file
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            guard let end = bytes.firstRange(of: Array("\n\n".utf8))?.upperBound, bytes.count > end + 100 else {
                continue
            }
            let head = String(decoding: bytes[..<end], as: UTF8.self)
            let name = head.dropFirst("framegrep network 2\n".count).dropLast(2)
            cache.put(Array("no network at all".utf8), as: String(name))
        }
        let damaged = try self.numbers()
        let mended = try await NeuralEngine.load(from: installed, settings: settings, waiting: false, cache: cache)
        #expect(try await mended.reader.read(rendered) == expected)
        #expect(try self.numbers() != damaged)
    }
}

extension NetworkCache {
    fileprivate func put(_ bytes: [UInt8], as name: String) { bytes.withUnsafeBytes { put($0, as: name) } }
    fileprivate func bytes(_ name: String) -> [UInt8]? { take(name).map { Array($0.bytes) } }
}
