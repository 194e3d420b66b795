import ArgumentParser
import Cameras
import Foundation
import Speech
import TextSpotting
import Threads

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract:
            "List the cameras and microphones: what they send, what can be set at them, and why one cannot be used.",
        discussion: """
            framegrep devices                  every camera with its sizes, rates and
                                               controls
            framegrep devices --watch          and what is plugged in and unplugged from
                                               now on

            Exit status 1 when there is no camera.
            """,
        helpNames: .shortAndLong)

    @Option(help: "text, or json: one object a line for each camera.")
    var format = DeviceFormat.text

    @Flag(help: "Go on, and tell of cameras that come, go and change, until Ctrl-C.")
    var watch = false

    func run() async throws {
        let results = ResultOutput.standard()
        let formatter = CameraFormatter(format: format)
        // Watched first, so that nothing is missed in between.
        let watching = watch ? try CameraChanges() : nil
        let cameras = Camera.all()
        cameras.forEach { results.line(formatter.text(for: $0)) }
        // Objects are cameras.
        if format == .text { Microphone.all().forEach { results.line("microphone: \(Visible.text($0.name))") } }
        if cameras.isEmpty { StandardError.line("framegrep: there is no camera here (no /dev/video*).") }
        if let watching { try await follow(watching, from: cameras, results, formatter) }
        if let failure = results.failure { throw failure }
        if cameras.isEmpty, !watch { throw ExitStatus.notFound }
    }

    private func follow(
        _ watching: CameraChanges, from cameras: [Camera], _ results: ResultOutput, _ formatter: CameraFormatter
    ) async throws {
        let interrupts = Interrupts { _ in watching.stop() }
        try await DedicatedThread.run(named: "framegrep-devices") {
            watching.follow(from: cameras) { change in
                results.line(formatter.text(for: change))
                if results.failure != nil { watching.stop() }
            }
        }
        if let failure = results.failure, interrupts.signal != SIGHUP { throw failure }
        if let signal = interrupts.signal { throw Interruption(signal: signal) }
    }
}
