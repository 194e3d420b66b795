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
            "List cameras and microphones with their formats and settings, and say why one cannot be used.",
        discussion: """
            framegrep devices                  every camera with its sizes, rates and
                                               controls
            framegrep devices --watch          and, until Ctrl-C, what is plugged in or
                                               unplugged

            Exit status: 0 there is a camera, 1 there is none, 2 an error.
            """,
        helpNames: .shortAndLong)

    @Option(help: "text, or json: one object a line for each camera.")
    var format = DeviceFormat.text

    @Flag(help: "Keep reporting cameras that come, go and change, until Ctrl-C.")
    var watch = false

    func run() async throws {
        let results = ResultOutput.standard()
        let formatter = CameraFormatter(format: format)
        // Start watching first, so that no change is missed.
        let watching = watch ? try CameraChanges() : nil
        let cameras = Camera.all()
        cameras.forEach { results.line(formatter.text(for: $0)) }
        // JSON objects are for cameras only.
        if format == .text { Microphone.all().forEach { results.line("microphone: \(Visible.text($0.name))") } }
        if cameras.isEmpty { StandardError.line("framegrep: there is no camera here (no /dev/video*).") }
        if let watching { try await follow(watching, from: cameras, results, formatter) }
        await results.settled()
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

/// Formats cameras for users and programs.
struct CameraFormatter {
    let format: DeviceFormat

    func text(for camera: Camera) -> String {
        format == .json ? object(for: camera, type: "camera").text : Visible.lines(lines(for: camera))
    }

    func text(for change: CameraChanges.Change) -> String {
        switch (change, format) {
        case (.added(let camera), .json): object(for: camera, type: "added").text
        case (.changed(let camera), .json): object(for: camera, type: "changed").text
        case (.removed(let camera), .json): object(naming: camera, type: "removed").text
        case (.added(let camera), .text): "plugged in: " + Visible.lines(lines(for: camera))
        case (.changed(let camera), .text): Visible.text("changed: \(head(of: camera))")
        case (.removed(let camera), .text): Visible.text("unplugged: \(camera.path): \(camera.name)")
        }
    }

    // MARK: Text

    private func head(of camera: Camera) -> String {
        "\(camera.path): \(camera.name): \(camera.problem?.text ?? "ready")"
    }

    private func lines(for camera: Camera) -> [String] {
        var lines = [head(of: camera)]
        var forms: [String] = []
        for mode in camera.modes where !forms.contains(mode.form.name) { forms.append(mode.form.name) }
        for form in forms {
            let sizes = camera.modes.filter { $0.form.name == form }.map { mode in
                let rates = mode.rates.map(\.text).joined(separator: ", ")
                return "\(mode.width)x\(mode.height)" + (rates.isEmpty ? "" : " (\(rates) fps)")
            }
            lines.append("    \(form): \(sizes.joined(separator: ", "))")
        }
        for control in camera.controls {
            let value = control.value.map { " is \(shown($0, of: control))," } ?? ""
            let standard = control.kind == .button ? "" : ", default \(shown(control.standard, of: control))"
            let lock = control.isLocked ? ", locked now" : ""
            let takes = control.kind == .button ? " a button" : "\(value) takes \(control.range)"
            lines.append("    --control \(control.name)=N:\(takes)\(standard)\(lock)")
        }
        return lines
    }

    private func shown(_ value: Int, of control: CameraControl) -> String {
        control.kind == .boolean ? (value == 0 ? "off" : "on") : String(value)
    }

    // MARK: JSON

    private func object(naming camera: Camera, type: String) -> JSONObject {
        var object = JSONObject()
        object.add("type", type)
        object.add("path", camera.path)
        object.add("name", camera.name)
        return object
    }

    private func object(for camera: Camera, type: String) -> JSONObject {
        var object = object(naming: camera, type: type)
        object.add("bus", camera.bus)
        object.add("usable", camera.problem == nil)
        if let problem = camera.problem {
            object.add("problem", problem.code)
            object.add("message", problem.text)
        }
        object.add("modes", list: camera.modes.map { self.object(for: $0).text })
        object.add(
            "controls", list: camera.controls.map { self.object(for: $0).text })
        return object
    }

    private func object(for mode: CameraMode) -> JSONObject {
        var object = JSONObject()
        object.add("format", mode.form.name)
        object.add("width", mode.width)
        object.add("height", mode.height)
        let rates = mode.rates.map { JSONObject.number($0.perSecond, decimals: 3) }
        object.add("rates", list: rates)
        return object
    }

    private func object(for control: CameraControl) -> JSONObject {
        var object = JSONObject()
        object.add("name", control.name)
        object.add("kind", control.kind.rawValue)
        object.add("min", control.minimum)
        object.add("max", control.maximum)
        object.add("step", control.step)
        object.add("default", control.standard)
        if let value = control.value { object.add("value", value) }
        if !control.entries.isEmpty {
            var entries = JSONObject()
            for (number, name) in control.entries.sorted(by: { $0.key < $1.key }) { entries.add(String(number), name) }
            object.add("entries", json: entries.text)
        }
        object.add("locked", control.isLocked)
        return object
    }
}

extension Visible {
    /// Returns lines made safe to show, each on its own.
    static func lines(_ lines: [String]) -> String { lines.map { text($0) }.joined(separator: "\n") }
}
