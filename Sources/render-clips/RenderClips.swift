import ArgumentParser
import Errors
import Foundation
import TextSpotting

/// The program: renders the project's clips, and puts pictures on contact sheets. Ends with 2 after an error.
@main
enum Main {
    static func main() async {
        do {
            var command = try RenderClips.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as FramegrepError {
            fail(error.message)
        } catch {
            guard RenderClips.exitCode(for: error) != .success else {
                return print(RenderClips.fullMessage(for: error))
            }
            fail(RenderClips.message(for: error))
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("render-clips: \(message)\n".utf8))
        exit(2)
    }
}

struct RenderClips: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render-clips",
        abstract: "Renders clips whose words, places and times are known.",
        subcommands: [ClipsCommand.self, ContactSheetCommand.self], defaultSubcommand: ClipsCommand.self)
}
