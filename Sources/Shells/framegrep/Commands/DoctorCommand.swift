import ArgumentParser
import Cameras
import Displays
import Engines
import Errors
import Foundation
import GStreamerMedia
import NeuralOCR
import Processes
import Screens
import Speech
import TesseractOCR

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show what is installed, what is missing, and which package provides it.",
        discussion: "Exit status 2 when recordings cannot be searched at all.",
        helpNames: .shortAndLong)

    func run() async throws {
        let report = Checkup().run()
        for finding in report { try StandardOutput.print(finding.line) }
        if report.contains(where: \.isFatal) { throw ExitStatus.error }
    }
}

/// The checks of `doctor`.
struct Checkup {
    struct Finding {
        enum Mark: String { case good = "ok", missing = "--", broken = "!!" }

        let mark: Mark
        let subject: String
        let text: String
        var isFatal: Bool { mark == .broken }
        var line: String {
            Visible.text("\(mark.rawValue)  \(subject.padding(toLength: 11, withPad: " ", startingAt: 0)) \(text)")
        }
    }

    func run() -> [Finding] {
        [gstreamer()] + plugins() + [tesseract(), neural()] + otherParts() + [display()] + screen() + cameras()
            + microphones()
    }

    private func gstreamer() -> Finding {
        let place = PortableArchive.folder.map { ", in \($0)" } ?? ""
        return Finding(mark: .good, subject: "GStreamer", text: MediaRuntime.version + place)
    }

    /// The elements that each part of the work needs; only the first rows are needed to search recordings at all.
    private static let needs: [(elements: [String], purpose: String, package: String, isEssential: Bool)] = [
        (["uridecodebin", "videoconvert", "appsink"], "open and decode", "gstreamer1.0-plugins-base", true),
        (
            ["deinterlace", "videoflip", "qtdemux", "matroskademux"], "files, rotation, interlacing",
            "gstreamer1.0-plugins-good", true
        ),
        (["avdec_h264"], "H.264 and most other formats", "gstreamer1.0-libav", false),
        (["h264parse"], "H.264 files", "gstreamer1.0-plugins-bad", false),
        (["x264enc"], "writing video (--save-video, --record)", "gstreamer1.0-plugins-ugly", false),
        (["ximagesink"], "a window", "gstreamer1.0-x", false),
        (["v4l2src"], "cameras", "gstreamer1.0-plugins-good", false),
        (["rtspsrc"], "RTSP", "gstreamer1.0-plugins-good", false),
    ]

    private func plugins() -> [Finding] {
        Self.needs.map { need in
            let missing = need.elements.filter { !MediaRuntime.hasElement($0) }
            guard !missing.isEmpty else { return Finding(mark: .good, subject: "plugins", text: need.purpose) }
            return Finding(
                mark: need.isEssential ? .broken : .missing, subject: "plugins",
                text: "\(need.purpose): \(missing.joined(separator: ", ")) missing; "
                    + (PortableArchive.folder == nil ? "sudo apt install \(need.package)" : "unpack the archive again"))
        }
    }

    private func tesseract() -> Finding {
        let languages = TesseractEngine.installedLanguages()
        guard !languages.isEmpty else {
            // One engine is enough.
            return Finding(
                mark: NeuralEngine.installation().problem == nil ? .missing : .broken, subject: "Tesseract",
                text: "no language is installed; \(TesseractEngine.advice(forLanguage: "eng"))")
        }
        return Finding(
            mark: .good, subject: "Tesseract",
            text: "\(TesseractEngine.libraryVersion), languages: \(languages.joined(separator: ", "))")
    }

    private func neural() -> Finding {
        let installation = NeuralEngine.installation()
        if let problem = installation.problem {
            return Finding(mark: .missing, subject: "neural", text: problem)
        }
        let levels = installation.levels.map(\.rawValue).joined(separator: ", ")
        let devices = NeuralEngine.devices().map { "\($0.name) (\($0.fullName))" }.joined(separator: ", ")
        return Finding(
            mark: .good, subject: "neural",
            text:
                "OpenVINO \(installation.runtimeVersion ?? "?"), levels: \(levels); runs on \(devices); in \(installation.folder ?? "?")"
        )
    }

    private func otherParts() -> [Finding] {
        [
            ("meaning", MeaningInstallation.find(), "search by meaning, sixteen languages"),
            ("voice", VoiceInstallation.find(), "search by voice, in English"),
        ].map { subject, part, purpose in
            Finding(
                mark: part.problem == nil ? .good : .missing, subject: subject,
                text: part.problem ?? "\(purpose); in \(part.folder ?? "?")")
        }
    }

    private func microphones() -> [Finding] {
        let microphones = Microphone.all()
        guard !microphones.isEmpty else {
            return [Finding(mark: .missing, subject: "microphones", text: "none (--voice-from takes a recording)")]
        }
        return microphones.map { Finding(mark: .good, subject: "microphones", text: $0.name) }
    }

    private func display() -> Finding {
        guard case .none(let reason) = DisplayAvailability.current else {
            return Finding(mark: .good, subject: "display", text: "windows can be opened")
        }
        let text = reason.isEmpty ? "none" : "none (\(reason.dropLast()))"
        return Finding(mark: .missing, subject: "display", text: "\(text): live works with --headless or --record")
    }

    /// Checks for the portal and the GStreamer element for a Wayland desktop's screen; returns nothing on other
    /// desktops.
    private func screen() -> [Finding] {
        guard (try? Desktop.way()) == .portal else { return [] }
        let portal =
            ScreenCast.problem.map { Finding(mark: .missing, subject: "screen", text: $0.message) }
            ?? Finding(mark: .good, subject: "screen", text: "the desktop's portal shares it")
        let element =
            MediaRuntime.hasElement("pipewiresrc")
            ? Finding(mark: .good, subject: "screen", text: "its picture comes through PipeWire (pipewiresrc)")
            : Finding(
                mark: .missing, subject: "screen",
                text: "its picture comes through PipeWire: pipewiresrc missing. "
                    + PortableArchive.advice("Install the Debian package gstreamer1.0-pipewire."))
        return [portal, element]
    }

    private func cameras() -> [Finding] {
        let cameras = Camera.all()
        guard !cameras.isEmpty else {
            return [Finding(mark: .missing, subject: "cameras", text: "none (no /dev/video*)")]
        }
        return cameras.map { camera in
            Finding(
                mark: camera.problem == nil ? .good : .missing, subject: "cameras",
                text: "\(camera.path) \(camera.name)" + (camera.problem.map { ": \($0.text)" } ?? ""))
        }
    }
}
