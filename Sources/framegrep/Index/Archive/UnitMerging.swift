import Errors
import Foundation
import GStreamerMedia
import TextIndex
import TextSpotting

/// Puts the results of an archive's units into an index.
struct UnitMerging {
    /// Names of folders with results are replaced by the results; nil if none of the names is one or the other.
    static func files(among names: [String]) throws -> (results: [String], others: [String]) {
        var (results, others): ([String], [String]) = ([], [])
        for name in names {
            if name.hasSuffix("." + ArchiveUnit.fileExtension) {
                results.append(name)
            } else if FolderWalk.isFolder(name), try !IndexFolder(name).exists {
                let inside = (try? FileManager.default.contentsOfDirectory(atPath: name)) ?? []
                let found = inside.filter { !$0.hasPrefix(".") && $0.hasSuffix("." + ArchiveUnit.fileExtension) }
                results += found.sorted().map { name + "/" + $0 }
                if found.isEmpty { others.append(name) }
            } else {
                others.append(name)
            }
        }
        return (results, others)
    }

    /// - Returns: `error` if something is missing, each of which was reported.
    /// - Throws: ``FramegrepError`` if the index cannot be written.
    static func merge(_ paths: [String], into index: TextIndex) throws -> ExitStatus {
        var results: [UnitResult] = []
        var damaged = 0
        for path in paths {
            do { results.append(try UnitResult(path: path)) } catch let error as FramegrepError {
                damaged += 1
                StandardError.line("framegrep: \(error.message)")
            }
        }
        let merge = try index.merge(results)
        StandardError.line(
            "framegrep: \(Amount.of(results.count, "unit")): \(Amount.of(merge.taken, "recording")) taken over, \(merge.known) there already, \(merge.missing.count) without all units."
        )
        for missing in merge.missing {
            StandardError.line(
                "framegrep: \(redacted(missing.name)) lacks \(missing.count) of its units; in the index up to \(ClockTime.text(missing.end)). 'framegrep index run' reads what is missing."
            )
        }
        return damaged > 0 || !merge.missing.isEmpty ? .error : .found
    }
}
