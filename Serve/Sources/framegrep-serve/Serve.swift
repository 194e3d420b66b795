import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import Page
import ServiceLifecycle
import UnixSignals

/// The program behind `framegrep serve`: the page's server, and the processes in which it decodes.
@main
enum Serve {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == MediaWork.option { await MediaWorker.main(arguments.dropFirst().first ?? "") }
        // Writing to a browser that is gone must fail with an error rather than kill the program with a signal.
        signal(SIGPIPE, SIG_IGN)
        // People send this signal to ask programs for their progress.
        signal(SIGUSR1, SIG_IGN)
        signal(SIGUSR2, SIG_IGN)
        // If Swift's runtime finds swift-backtrace, it handles this signal too, and Ctrl-\ then cannot end the program.
        if !isIgnored(SIGQUIT), getenv("SWIFT_BACKTRACE") == nil { signal(SIGQUIT, SIG_DFL) }
        do {
            try await serve(try ServeSettings(arguments: arguments))
            exit(0)
        } catch {
            tell("framegrep: \(ServeFailure.sentence(error))")
            exit(2)
        }
    }

    /// Whether the parent process wants the program to ignore a signal.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // C functions are compared by their addresses; SIG_IGN is an artificial one.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func serve(_ settings: ServeSettings) async throws {
        let tls = try encryption(settings)
        let password = try settings.password()
        let port = settings.isOwnAddress ? try LoopbackPort.choose(settings.port) : settings.port
        let machine = ProcessInfo.processInfo.hostName
        let shown = settings.isOwnAddress ? "127.0.0.1" : machine
        @Sendable func address(_ key: String) -> String {
            "http\(settings.isEncrypted ? "s" : "")://\(shown):\(port)/#key=\(key)"
        }
        let keys = SessionKeys(port: port, isEncrypted: settings.isEncrypted) { key in
            tell("framegrep: the page is open; for another browser: \(address(key))")
        }
        let service = PageService(
            index: try settings.folder(), hosts: settings.hosts(port: port, machine: machine), keys: keys,
            decoder: Bundle.main.executablePath ?? "/proc/self/exe", password: password,
            meaning: settings.meaningSource, voice: settings.voice,
            watch: settings.watch)
        let bound = settings.isOwnAddress ? "127.0.0.1" : settings.boundAddress
        let first = try application(service, bound, port, tls) {
            tell("framegrep: the page of the index in \(service.place) is at")
            // The address is all that is written to standard output, for programs.
            try? FileHandle.standardOutput.write(contentsOf: Data((address(keys.key) + "\n").utf8))
            tell("framegrep: the address works once, in one browser; Ctrl-C ends the server.")
            do { if settings.opens { try PageOpener.open(address(keys.key)) } } catch {
                tell("framegrep: \(ServeFailure.sentence(error))")
            }
        }
        var services: [any Service] = [first, Housekeeping(service: service)]
        if settings.isOwnAddress, LoopbackPort.hasVersion6(port) {
            services.append(try application(service, "::1", port, tls) {})
        }
        service.start()
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigint, .sigterm] + (isIgnored(SIGHUP) ? [] : [.sighup]),
            logger: quiet)
        // Otherwise a recording that is being played would delay the end for hours.
        configuration.maximumGracefulShutdownDuration = .seconds(2)
        defer { service.finish(within: .seconds(8)) }
        do { try await ServiceGroup(configuration: configuration).run() } catch is CancellationError {
        } catch let error as IOError {
            throw ServeFailure.unbound(bound, port: port, error.errnoCode)
        } catch is SocketAddressError.UnknownHost {
            throw ServeFailure.unbound(bound, port: port, nil)
        }
    }

    private static func application(
        _ service: PageService, _ address: String, _ port: Int, _ tls: TLSConfiguration?,
        running: @escaping @Sendable () -> Void
    ) throws -> Application<PageResponder> {
        let (isEncrypted, registry) = (tls != nil, ConnectionRegistry(most: mostConnections))
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [ConnectionGuard(registry, isEncrypted: isEncrypted)],
                idleTimeout: .seconds(60),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)))
        return Application(
            responder: PageResponder(service: service, registry: registry),
            server: try tls.map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(address, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(mostConnections + 32, logger: quiet)),
            onServerRunning: { _ in running() }, logger: quiet)
    }

    /// Beyond this many, idle connections are closed.
    private static let mostConnections = 224

    /// The ciphers for TLS 1.2: with ephemeral keys, so that recorded traffic cannot be read later with the server's
    /// key, and authenticated, so that every modification is detected. TLS 1.3 has no others.
    private static let suites = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"]
        .flatMap { ["ECDHE-ECDSA-" + $0, "ECDHE-RSA-" + $0] }.joined(separator: ":")

    /// Returns the TLS configuration; nil if connections are not encrypted.
    private static func encryption(_ settings: ServeSettings) throws -> TLSConfiguration? {
        guard let certificate = settings.certificate, let key = settings.key else { return nil }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.cipherSuites = suites
            // This detects a certificate and a key that do not belong together.
            _ = try NIOSSLContext(configuration: configuration)
            return configuration
        } catch {
            throw ServeFailure.unusable(certificate: certificate, key: key, "\(error)")
        }
    }

    /// Discards log messages of the libraries, which mean nothing to users.
    private static let quiet = Logger(label: "framegrep") { _ in SwiftLogNoOpLogHandler() }

    private static func tell(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

/// Periodically ends jobs and streams that are no longer needed.
private struct Housekeeping: Service {
    let service: PageService

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(15))
                service.rest()
            }
        }
        // Streams do not end by themselves.
        service.finish(within: .zero)
    }
}
