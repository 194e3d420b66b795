import Errors
import Spotter
import TextSpotting

/// Makes sure that standard input, `-`, is used for one purpose only, because it can be read once.
enum StandardInput {
    static let name = TextFile.standardInput

    /// - Parameters:
    ///   - lists: of inputs.
    ///   - patternsCome: lines on it change the patterns while a job runs (`--patterns-from -`).
    /// - Throws: ``FramegrepError`` (`badArgument`) if it is asked for twice.
    static func check(
        inputs: [String], lists: [String] = [], patternFiles: [String], patternsCome: Bool = false
    ) throws {
        let uses =
            inputs.filter { $0 == name }.map { _ in "an input (-)" }
            + lists.filter { $0 == name }.map { _ in "--files-from -" }
            + patternFiles.filter { $0 == name }.map { _ in "-f -" } + (patternsCome ? ["--patterns-from -"] : [])
        guard uses.count > 1 else { return }
        throw FramegrepError(
            .badArgument,
            "Standard input can be read once, and \(uses[0]) and \(uses[1]) both want it; name a file for one of them.")
    }
}
