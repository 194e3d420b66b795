import Foundation
import TestSupport
import Testing

/// An archive that several workers read in units is the same as if one machine had read it, however often workers were
/// killed.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ArchiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Words that are visible across the borders of two-second units, words that appear shortly before or after one,
    /// and one that moves across a border.
    private static let clip = KnownClip(
        frameCount: 200,
        words: [
            KnownWord(text: "GATE", x: 40, y: 30, frames: 0..<200),
            KnownWord(text: "BUBBLES", x: 230, y: 130, frames: 20..<75),
            KnownWord(text: "EXIT 12", x: 60, y: 260, frames: 48..<103),
            KnownWord(text: "Kitchen", x: 400, y: 30, frames: 102..<149),
            KnownWord(text: "HARBOR", x: 10, y: 200, frames: 120..<190, speed: 2),
        ])
    private static let words = ["GATE", "BUBBLES", "EXIT", "12", "Kitchen", "HARBOR", "elevator"]

    private func framegrep(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(arguments, environment: ["FRAMEGREP_INDEX": folder.file("none")])
    }

    private func media() async throws -> String {
        let media = folder.file("media")
        try FileManager.default.createDirectory(atPath: media, withIntermediateDirectories: true)
        let clips = [
            ("borders.mp4", try await ClipCache.shared.path("borders.mp4", Self.clip)),
            ("cuts.mp4", try await cutsClip()),
        ]
        for (name, path) in clips {
            try? FileManager.default.copyItem(atPath: path, toPath: media + "/" + name)
        }
        return media
    }

    /// - Returns: the path of the plan.
    private func plan(_ input: String, unit: String = "2s") async throws -> String {
        let outcome = try await framegrep("index", "plan", "--engine", "tesseract", "--unit", unit, input)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let path = folder.file("units-\(unit).jsonl")
        try outcome.stdout.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func results(_ shards: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: shards)) ?? [])
            .filter { $0.hasSuffix(".fgu") && !$0.hasPrefix(".") }.sorted()
    }

    private func digest(_ index: String) async throws -> String {
        let outcome = try await framegrep("index", "digest", "--index", index)
        #expect(outcome.status == 0 && outcome.lines.count == 1 && outcome.stdout.count == 65, "\(outcome)")
        return outcome.stdout
    }

    /// Returns the results of an index, without the numbers of the sightings.
    private func found(_ index: String, in name: String) async throws -> [[String: Any]] {
        let patterns = Self.words.flatMap { ["-e", $0] }
        let outcome = try await Framegrep.run(
            ["find", "--index", index, "--format", "jsonl"] + patterns, environment: [:])
        return outcome.objects.filter {
            $0["type"] as? String == "sighting" && ($0["source"] as? String)?.hasSuffix(name) == true
        }.sorted { Self.order($0) < Self.order($1) }
    }

    private static func order(_ sighting: [String: Any]) -> (String, Double) {
        (sighting["pattern"] as? String ?? "", sighting["start"] as? Double ?? 0)
    }

    /// An appearance is one result with its own times even if it crosses a border.
    @Test func bordersAreNotSeen() async throws {
        let media = try await media()
        let units = try await plan(media)
        let (shards, merged, plain) = (folder.file("shards"), folder.file("merged"), folder.file("plain"))
        #expect(try await framegrep("index", "run", units, "--out", shards, "-q").status == 0)
        // Eight seconds and three: the remaining part of a second is a separate unit.
        #expect(results(shards).count == 6)
        #expect(try await framegrep("index", "merge", merged, shards).status == 0)
        #expect(try await framegrep("index", "--index", plain, "--engine", "tesseract", "-q", media).status == 0)
        for name in ["borders.mp4", "cuts.mp4"] {
            let (one, other) = (try await found(merged, in: name), try await found(plain, in: name))
            #expect(one.count == other.count && one.count > 4, "\(one.count) \(other.count)")
            for (a, b) in zip(one, other) {
                for key in ["pattern", "text", "line"] { #expect(a[key] as? String == b[key] as? String) }
                for key in ["start", "end"] {
                    let (mine, theirs) = (a[key] as? Double ?? -1, b[key] as? Double ?? -2)
                    #expect(abs(mine - theirs) < 0.000_002, "\(name) \(a["pattern"] ?? "") \(key): \(mine) \(theirs)")
                }
            }
        }
    }

    /// Killed workers, workers that do the same at the same time, and results in another order make no difference.
    @Test func whoReadsMakesNoDifference() async throws {
        let units = try await plan(try await media())
        let alone = folder.file("alone")
        #expect(try await framegrep("index", "run", units, "--out", alone, "-q").status == 0)
        #expect(try await framegrep("index", "merge", folder.file("index-alone"), alone).status == 0)
        let expected = try await digest(folder.file("index-alone"))
        for workers in [2, 4] {
            let shards = folder.file("shards-\(workers)")
            // This worker is killed as soon as it has something.
            let killed = try Running(Framegrep.path, ["index", "run", units, "--out", shards, "-q", "--threads", "1"])
            #expect(await killed.wait { !results(shards).isEmpty }, "\(killed.stderr)")
            killed.send(SIGKILL)
            _ = await killed.end(within: 20)
            let left = results(shards).count
            // All of them want all units, so that two compete for one.
            let jobs = try (0..<workers).map { number in
                let (first, last) = (number * 6 / workers, 5)
                let order = number % 2 == 0 ? ["--unit", "\(first)-\(last)"] : []
                return try Running(
                    Framegrep.path, ["index", "run", units, "--out", shards, "-q", "--threads", "1"] + order)
            }
            for job in jobs {
                let outcome = await job.end(within: 120)
                #expect(outcome.status == 0, "\(outcome.stderr)")
            }
            #expect(results(shards).count == 6 && left >= 1)
            let index = folder.file("index-\(workers)")
            let paths = results(shards).reversed().map { shards + "/" + $0 }
            #expect(try await Framegrep.run(["index", "merge", index] + paths).status == 0)
            #expect(try await digest(index) == expected)
            // The second time there is nothing to do.
            let again = try await framegrep("index", "merge", index, shards)
            #expect(again.status == 0 && again.stderr.contains("0 recordings added, 2 already there"))
            #expect(try await digest(index) == expected)
        }
    }

    /// A recording with missing units is in the index up to the gap; later units fill it.
    @Test func missingUnitsAreTold() async throws {
        let units = try await plan(try await media())
        let (shards, index) = (folder.file("shards"), folder.file("index"))
        for number in ["0-1", "3-5"] {
            #expect(try await framegrep("index", "run", units, "--unit", number, "--out", shards, "-q").status == 0)
        }
        let partial = try await framegrep("index", "merge", index, shards)
        #expect(partial.status == 2 && partial.stderr.contains("lacks 1 of its units; in the index up to 00:00:04.000"))
        #expect(try await framegrep("index", "sources", "--index", index).stdout.contains("read only up to"))
        #expect(try await framegrep("index", "run", units, "--unit", "2", "--out", shards, "-q").status == 0)
        let whole = try await framegrep("index", "merge", index, shards)
        #expect(
            whole.status == 0 && whole.stderr.contains("1 recording added, 1 already there"),
            "\(whole.stderr)")
        #expect(try await framegrep("index", "sources", "--index", index).stdout.contains("borders.mp4: 00:00:08.000"))
        #expect(try await framegrep("index", "check", "--index", index).status == 0)
    }

    /// A recording that ends earlier than it declares has its actual end, and a damaged result counts as missing.
    @Test func whatIsCutOffEndsWhereItDoes() async throws {
        let whole = folder.file("whole.mkv")
        var clip = Self.clip
        clip.encoding = clip.encoding.replacingOccurrences(of: "mp4mux", with: "matroskamux")
        try await clip.render(to: whole)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        let cut = folder.file("cut.mkv")
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        let units = try await plan(cut)
        let (shards, index, plain) = (folder.file("shards"), folder.file("index"), folder.file("plain"))
        #expect(try await framegrep("index", "run", units, "--out", shards, "-q").status == 0)
        #expect(try await framegrep("index", "merge", index, shards).status == 0)
        #expect(try await framegrep("index", "--index", plain, "--engine", "tesseract", "-q", cut).status == 0)
        let listed = try await framegrep("index", "sources", "--index", index).stdout
        #expect(
            listed == (try await framegrep("index", "sources", "--index", plain).stdout) && !listed.contains("08.000"))
        let first = try #require(results(shards).first)
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: shards + "/" + first))
        let damaged = try await framegrep("index", "merge", folder.file("other"), shards)
        #expect(damaged.status == 2 && damaged.stderr.contains("is not a complete result"), "\(damaged.stderr)")
    }

    /// Mixing two states or two programs, or a mistake, is refused with a message.
    @Test func whatIsNotAsPlannedIsRefused() async throws {
        let media = try await media()
        let units = try await plan(media)
        let text = try String(contentsOfFile: units, encoding: .utf8)
        let shards = folder.file("shards")
        for (change, part) in [
            (("\"grid\":2", "\"grid\":3"), "is not a unit"), (("\"to\":2", "\"to\":\"two\""), "is not a unit"),
            (("\"unit\":0", "\"unit\":7"), "is not a unit"), (("{", "["), "is not a unit"),
        ] {
            let path = folder.file("changed.jsonl")
            try text.replacingOccurrences(of: change.0, with: change.1).write(
                toFile: path, atomically: true, encoding: .utf8)
            let outcome = try await framegrep("index", "run", path, "--unit", "0", "--out", shards)
            #expect(outcome.status == 2 && outcome.stderr.contains(part), "\(change): \(outcome.stderr)")
        }
        for (arguments, part) in [
            ([units, "--unit", "6"], "There is no unit 6"),
            ([units, "--unit", "0-9223372036854775807"], "There is no unit 9223372036854775807"),
            ([units, "--unit", "0-99999999999"], "There is no unit 99999999999"),
            ([folder.file("nowhere"), "--unit", "0"], "cannot be read"),
            ([units, "--unit", "x"], "--unit"), ([units, "--unit", "0", "--out", "/proc/none"], "cannot be written"),
        ] {
            let out = arguments.contains("--out") ? [] : ["--out", shards]
            let outcome = try await Framegrep.run(["index", "run"] + arguments + out, environment: [:])
            #expect(outcome.status == 2 && outcome.stderr.contains(part), "\(outcome.stderr)")
        }
        let secret = try await framegrep("index", "plan", "http://me:hidden@127.0.0.1:9/a.mp4")
        #expect(
            secret.status == 2 && secret.stderr.contains("a plan must not keep") && !secret.stderr.contains("hidden"))
        let handle = try #require(FileHandle(forWritingAtPath: media + "/borders.mp4"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 0, count: 16))
        try handle.close()
        let changed = try await framegrep("index", "run", units, "--unit", "0", "--out", shards)
        #expect(changed.status == 2 && changed.stderr.contains("has changed since the archive was planned"))
        #expect(results(shards).isEmpty)
        let nothing = try await framegrep("index", "merge", folder.file("index"), folder.file("units-2s.jsonl"))
        #expect(nothing.status == 2 && nothing.stderr.contains("There is no index"))
    }

    /// An object in a store is requested with keys from the environment only.
    @Test func objectsOfStoresNeedKeys() async throws {
        for (input, part) in [
            ("s3://tapes/a.mp4", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set"),
            ("s3://tapes", "is not the name of an object"), ("s3:///a.mp4", "is not the name of an object"),
        ] {
            let outcome = try await Framegrep.run(
                ["index", "plan", "--engine", "tesseract", input],
                environment: ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""])
            #expect(outcome.status == 2 && outcome.stderr.contains(part), "\(outcome.stderr)")
        }
    }
}
