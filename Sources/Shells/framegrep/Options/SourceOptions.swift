import ArgumentParser
import Cameras
import Errors
import GStreamerMedia
import Spotter

enum LostCamera: String, ExpressibleByArgument, CaseIterable {
    case wait, exit
}

enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

enum AutofocusChoice: String, ExpressibleByArgument, CaseIterable {
    case on, off, once
}

/// Options for the source that `live` opens, the settings of a camera, and the reaction when the source is lost.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The camera: its path or a part of its name (default: the first usable).", valueName: "camera"),
        completion: Completions.cameras)
    var device: String?

    @Option(help: ArgumentHelp("Picture size to ask a camera for.", valueName: "WxH"))
    var size: String?

    @Option(help: ArgumentHelp("Frames a second to ask a camera for.", valueName: "rate"))
    var fps: Int?

    @Option(help: "When the camera is unplugged: wait for it to come back, or exit (default: wait).")
    var onLost: LostCamera?

    @Option(
        help: ArgumentHelp(
            "How often to try to reopen a lost network source: a number, forever or never (default: 20).",
            valueName: "tries"),
        completion: .list(["forever", "never"]))
    var reconnect: ReconnectLimit?

    /// The number of attempts to reopen a lost network source.
    var reconnectLimit: LossPolicy.Limit { reconnect?.limit ?? .tries(20) }

    @Option(
        name: .customLong("control"),
        help: ArgumentHelp(
            "Set a control of the camera, as 'devices' lists them; may be given several times.", valueName: "name=value"
        ), completion: Completions.cameraControls)
    var controls: [String] = []

    @Option(help: ArgumentHelp("Enlarge: the camera's own zoom, else the middle of the picture.", valueName: "factor"))
    var zoom: Double?

    @Option(help: "The camera's light: on or off.")
    var torch: Switch?

    @Option(help: "Focus all the time (on), stay as it is (off), or focus now and stay (once).")
    var autofocus: AutofocusChoice?

    @Option(
        help: ArgumentHelp("The camera's exposure: auto, or its own number.", valueName: "auto|number"),
        completion: .list(["auto"]))
    var exposure: String?

    @Option(help: ArgumentHelp("The camera's brightness, its own number.", valueName: "number"))
    var brightness: Int?

    /// Returns the source as the user named it, by the argument or `--device`; nil for the first camera.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if both name one.
    func name(orArgument argument: String?) throws -> String? {
        guard let device else { return argument }
        guard argument == nil else {
            throw FramegrepError(
                .badArgument,
                "Both --device and the source '\(redacted(argument ?? ""))' name what to search; give one of them.")
        }
        return device
    }

    /// Returns the settings to apply once the source is open.
    func turns() throws -> [(knob: CameraKnob, turn: CameraTurn)] {
        var turns: [(knob: CameraKnob, turn: CameraTurn)] = []
        if let zoom { turns.append((.zoom, .to(zoom))) }
        if let torch { turns.append((.torch, torch == .on ? .on : .off)) }
        if let autofocus {
            turns.append((.autofocus, autofocus == .once ? .once : autofocus == .on ? .on : .off))
        }
        if let exposure {
            guard let number = exposure == "auto" ? 0 : Double(exposure), number.isFinite else {
                throw FramegrepError(.badArgument, "--exposure takes 'auto' or a number, not '\(exposure)'.")
            }
            turns.append((.exposure, exposure == "auto" ? .automatic : .to(number)))
        }
        if let brightness { turns.append((.brightness, .to(Double(brightness)))) }
        return turns
    }

    /// - Parameter wanted: a path, a part of a name, or nil for the first usable camera.
    func camera(_ wanted: String?) throws -> CameraSource {
        let mode = try ModeRequest(size: size, rate: fps)
        let controls = try controls.map { text in
            guard let mark = text.firstIndex(of: "="), mark != text.startIndex else {
                throw FramegrepError(
                    .badArgument, "'\(text)' is not of the form name=value, such as --control brightness=200.")
            }
            return (name: String(text[..<mark]), value: String(text[text.index(after: mark)...]))
        }
        return CameraSource(wanted, mode, controls: controls, waitsWhenLost: onLost != .exit)
    }

    /// Rejects options for lost sources if the source cannot be lost in that way.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`).
    func checkLoss(isCamera: Bool, isNetwork: Bool) throws(FramegrepError) {
        if onLost != nil, !isCamera {
            throw FramegrepError(
                .badArgument, "--on-lost is for local cameras (/dev/video0), and the source is none; leave it out.")
        }
        if reconnect != nil, !isNetwork {
            throw FramegrepError(
                .badArgument, "--reconnect is for sources on a network, and this one is none; leave it out.")
        }
    }

    /// Rejects options for local cameras if the source is something else.
    func checkForCameraOptions() throws {
        let given = [("--control", !controls.isEmpty), ("--size", size != nil), ("--fps", fps != nil)]
        if let option = given.first(where: { $0.1 })?.0 {
            throw FramegrepError(.badArgument, "\(option) is for local cameras (/dev/video0), and the source is none.")
        }
    }
}

/// The number of attempts to reopen a network source.
struct ReconnectLimit: ExpressibleByArgument {
    let limit: LossPolicy.Limit

    init?(argument: String) {
        switch argument {
        case "forever": limit = .forever
        case "never", "0": limit = .never
        default:
            guard let count = Int(argument), (1...1_000_000).contains(count) else { return nil }
            limit = .tries(count)
        }
    }
}

extension SourceOptions {
    /// Returns a source that runs without a window or a recording: a camera, an address, or a file at its own speed.
    ///
    /// - Throws: ``FramegrepError`` for options that the source does not take, or a file that cannot be opened.
    func live(_ uri: SourceURI) async throws -> LiveSource {
        guard device == nil else {
            throw FramegrepError(
                .badArgument, "--device names a camera, and \(uri.redacted) is named too; give one of them.")
        }
        let turns = try turns()
        try checkLoss(isCamera: uri.isCamera, isNetwork: !uri.isCamera && SourceDescription.isNetwork(uri.text))
        var live: LiveSource
        if uri.isCamera {
            live = try camera(String(uri.text.dropFirst("v4l2://".count))).source
        } else {
            try checkForCameraOptions()
            live = try await opened(uri, withSound: false)
        }
        live.turns = turns
        return live
    }

    /// A source that is no camera.
    func opened(_ uri: SourceURI, withSound: Bool) async throws -> LiveSource {
        if SourceDescription.isNetwork(uri.text) {
            let network = NetworkSource(uri.text, reconnectLimit)
            if withSound { await network.bringSound() }
            return network.source
        }
        let opened = try await OpenedSource.open(uri)
        // Holds what is open already.
        let sound = withSound && opened.info.audioFormat != nil
        var live = LiveSource(policy: .none) {
            LiveSource.Opening(description: SourceDescription.liveSource(opened, sound: sound))
        }
        live.hasSound = sound
        if !opened.isReadOnce { live.recording = LiveSource.Recording(opened) }
        return live
    }
}

/// Options for the addresses that may be opened, and for those that they may refer to: shared by `find` and `live`.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also open addresses of this kind, and let sources lead to them: a scheme such as udp, or private.",
            discussion: """
                Without it, files, http, https and rtsp are opened; a list on the network (HLS, DASH) may lead to http and https \
                only, and to private networks only if it came from one; a list in a file may lead to files. May \
                be given several times.
                """, valueName: "kind"),
        completion: Completions.addressKinds)
    var allow: [String] = []

    /// The kinds in lower case.
    var allowed: Set<String> { Set(allow.map { $0.lowercased() }) }

    func validate() throws {
        for kind in allow where !Self.isScheme(kind) {
            throw ValidationError("--allow takes a scheme such as udp or file, or private; '\(kind)' is none.")
        }
    }

    /// Applies the rules from now on.
    func enforce() throws { try SourceGuard.enforce(allowing: allowed) }

    private static func isScheme(_ text: String) -> Bool {
        let isFirstLetter = text.first.map { $0.isASCII && $0.isLetter } ?? false
        return isFirstLetter && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}

/// Options for several sources at once, which a file lists.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run the sources of a file, each with its words, as a service; SIGHUP reloads it.",
            discussion: """
                The file is TOML; docs/SERVICE.md has its keys, most of which are the long names of these options. Besides it you \
                may give --check, --format, -o, --stats, --timeout and -v; everything else is in the file.
                """, valueName: "file"),
        completion: .file())
    var config: FileArgument?

    @Flag(help: "With --config: say what is wrong with the file, or what it would do, and exit.")
    var check = false

    func validate() throws {
        if check, config == nil { throw ValidationError("--check looks at the file of --config FILE; give both.") }
    }
}
