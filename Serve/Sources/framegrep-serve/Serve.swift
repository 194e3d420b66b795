import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Page
import ServiceLifecycle
import UnixSignals

/// The program behind `framegrep serve`: the page's server, and the processes in which it decodes.
@main
enum Serve {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == MediaWork.option { await MediaWorker.main(arguments.dropFirst().first ?? "") }
        // A browser that has gone is an error of a write, not a signal that kills.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await serve(try ServeSettings(arguments: arguments))
            exit(0)
        } catch {
            tell("framegrep: \(ServeFailure.sentence(error))")
            exit(2)
        }
    }

    private static func serve(_ settings: ServeSettings) async throws {
        let port = try LoopbackPort.choose(settings.port)
        let keys = SessionKeys(port: port) { key in
            tell("framegrep: the page is open; for another browser: \(address(port, key))")
        }
        let service = PageService(
            index: try settings.folder(), hosts: HostList(port: port), keys: keys,
            decoder: Bundle.main.executablePath ?? "/proc/self/exe")
        let first = application(service, "127.0.0.1", port) {
            tell("framegrep: the page of the index in \(service.place) is at")
            // Alone on standard output, for programs.
            try? FileHandle.standardOutput.write(contentsOf: Data((address(port, keys.key) + "\n").utf8))
            tell("framegrep: the address works once, in one browser; Ctrl-C ends the server.")
            do { if settings.opens { try PageOpener.open(address(port, keys.key)) } } catch {
                tell("framegrep: \(ServeFailure.sentence(error))")
            }
        }
        var services: [any Service] = [first, Housekeeping(service: service)]
        if LoopbackPort.hasVersion6(port) { services.append(application(service, "::1", port) {}) }
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigint, .sigterm], logger: quiet)
        // A recording that is being played would go on for hours.
        configuration.maximumGracefulShutdownDuration = .seconds(2)
        do { try await ServiceGroup(configuration: configuration).run() } catch is CancellationError {}
    }

    private static func application(
        _ service: PageService, _ address: String, _ port: Int, running: @escaping @Sendable () -> Void
    ) -> Application<PageResponder> {
        Application(
            responder: PageResponder(service: service),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGuard()], idleTimeout: .seconds(60),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))),
            configuration: ApplicationConfiguration(
                address: .hostname(address, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(256, logger: quiet)),
            onServerRunning: { _ in running() }, logger: quiet)
    }

    private static func address(_ port: Int, _ key: String) -> String { "http://127.0.0.1:\(port)/#key=\(key)" }

    /// What the libraries log tells a person nothing.
    private static let quiet = Logger(label: "framegrep") { _ in SwiftLogNoOpLogHandler() }

    private static func tell(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

/// Ends what nobody needs any more.
private struct Housekeeping: Service {
    let service: PageService

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(15))
                service.rest()
            }
        }
    }
}
