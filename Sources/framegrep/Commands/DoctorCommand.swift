import ArgumentParser
import Foundation
import GStreamerMedia
import TesseractOCR
import TextSpotting

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what is installed, what is missing, and the package that has it.",
        discussion: "Exit status 2 when recordings cannot be searched at all.",
        helpNames: .shortAndLong)

    func run() async throws {
        let report = Checkup().run()
        for finding in report { try StandardOutput.print(finding.line) }
        if report.contains(where: \.isFatal) { throw ExitStatus.error }
    }
}
