public import Errors
import Foundation
import Glibc
import Meaning
import Processes
public import TextIndex
public import TextMatching
import TextSpotting

/// The command line of `framegrep serve`, which it passes on to `framegrep-serve`.
public struct ServeSettings: Hashable, Sendable {
    /// The default port.
    public static let usualPort = 8437
    public static let ownAddress = "127.0.0.1"

    /// The port; 0 for any that is free.
    public var port = ServeSettings.usualPort
    /// The folder of the index; nil for the user's own.
    public var index: String?
    /// The file of the model for search by meaning; nil if that is not set up.
    public var meaning: String?
    /// The folder of the speech model; nil if voice search is not set up.
    public var voice: String?
    /// Whether to open a browser.
    public var opens = false
    /// A loopback address, unless the page is encrypted and has a password.
    public var address = ServeSettings.ownAddress
    /// The files of the certificate and its key, in PEM, and the file of the password.
    public var certificate: String?
    public var key: String?
    public var passwordFile: String?
    /// Further names under which browsers may address the page.
    public var names: [String] = []
    /// The cameras to watch.
    public var watch = WatchSettings()

    public init() {}

    /// - Parameter arguments: the arguments without the program's name.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for arguments that are invalid or not allowed.
    public init(arguments: [String]) throws(FramegrepError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument != "--" else {
                watch.sources += argument == "--" ? Array(rest) : [argument]
                if argument == "--" { break }
                continue
            }
            let halves = argument.split(separator: "=", maxSplits: 1).map(String.init)
            let value = halves.count > 1 ? halves[1] : nil
            if value == nil, setFlag(argument) { continue }
            guard Self.valued.contains(halves[0]) else {
                throw FramegrepError(
                    .badArgument, "serve does not know '\(argument)'; 'framegrep serve --help' lists its options.")
            }
            guard let value = value ?? rest.popFirst(), !value.isEmpty else {
                throw FramegrepError(.badArgument, "\(argument) needs a value after it.")
            }
            try set(halves[0], value)
        }
        try check()
    }

    private static let valued: Set = [
        "--port", "--index", "--address", "--certificate", "--key", "--password-file", "--name", "--program", "--watch",
        "--live-option", "--sources-from", "--meaning", "--voice",
    ]

    private mutating func setFlag(_ option: String) -> Bool {
        switch option {
        case "--open": opens = true
        case "--remember": watch.remembers = true
        case "--regex": watch.manner.kind = .expression
        case "--exact": watch.manner.kind = .exact
        case "--case": watch.manner.options.caseSensitive = true
        case "--words": watch.manner.options.wholeWords = true
        case "--all": watch.manner.requiresAll = true
        default: return false
        }
        return true
    }

    private mutating func set(_ option: String, _ value: String) throws(FramegrepError) {
        switch option {
        case "--index": index = value
        case "--meaning": meaning = value
        case "--voice": voice = value
        case "--address": address = value
        case "--certificate": certificate = value
        case "--key": key = value
        case "--password-file": passwordFile = value
        case "--name": names.append(value)
        case "--program": watch.program = value
        case "--watch": watch.words.append(value)
        case "--live-option": watch.options.append(value)
        case "--sources-from": watch.sources += try PrivateFile.lines(value)
        default:
            guard let number = Int(value) else {
                throw FramegrepError(.badArgument, "--port takes a number, which '\(value)' is not.")
            }
            port = number
        }
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for settings that are impossible or not allowed.
    public func check() throws(FramegrepError) {
        guard (0...65535).contains(port) else {
            throw FramegrepError(.badArgument, "--port is from 1 to 65535, or 0 for any that is free; \(port) is not.")
        }
        guard (certificate == nil) == (key == nil) else {
            throw FramegrepError(.badArgument, "--certificate and --key belong together; give both, or none.")
        }
        guard watch.sources.count <= WatchSettings.most else {
            throw FramegrepError(
                .badArgument,
                "At most \(WatchSettings.most) sources are watched at once; \(watch.sources.count) were given.")
        }
        guard watch.sources.isEmpty == false || watch.words.isEmpty && !watch.remembers else {
            throw FramegrepError(
                .badArgument, "-e and --remember are for what is watched; name a camera or an address.")
        }
        guard !isOwnAddress else { return }
        guard port != 0 else {
            throw FramegrepError(
                .badArgument, "--port 0 takes any free port, which other machines do not know; name one with --port.")
        }
        guard isEncrypted, passwordFile != nil else {
            throw FramegrepError(
                .badArgument,
                "Other machines could read along at \(address), so the page is served there only encrypted and with a password: --certificate, --key and --password-file. Or leave --address out, and open the page from another machine through SSH: ssh -L \(port):127.0.0.1:\(port) this-machine."
            )
        }
    }

    public var isEncrypted: Bool { certificate != nil }
    public var isOwnAddress: Bool { ["127.0.0.1", "localhost", "::1", "[::1]"].contains(address) }

    /// The address in the form that sockets take.
    public var boundAddress: String { address.trimmingCharacters(in: ["[", "]"]) }

    /// Returns the host names that browsers may use for the page.
    ///
    /// - Parameters:
    ///   - port: the port of the page.
    ///   - machine: this machine's own name.
    public func hosts(port: Int, machine: String) -> HostList {
        var all = HostList.ownNames + names
        if !isOwnAddress {
            all.append(machine)
            let bare = boundAddress
            if bare != "0.0.0.0", bare != "::" { all.append(bare.contains(":") ? "[\(bare)]" : bare) }
        }
        return HostList(port: port, names: all, isEncrypted: isEncrypted)
    }

    public func folder() throws -> IndexFolder { try IndexFolder(index) }

    /// Compares meanings; opened at the first search by meaning.
    public var meaningSource: MeaningSource {
        MeaningSource { [meaning] in
            guard let meaning else {
                throw FramegrepError(
                    .engineUnavailable,
                    "Search by meaning was not installed when the page was started. Run 'framegrep setup --meaning', and start the page again."
                )
            }
            return try MeaningEncoder(path: meaning)
        }
    }

    /// Returns the password that opens a session; nil if there is none.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if its file cannot be read, or others can read it.
    public func password() throws(FramegrepError) -> PagePassword? {
        guard let passwordFile else { return nil }
        guard let line = try PrivateFile.lines(passwordFile).first, line.count >= PagePassword.shortest else {
            throw FramegrepError(
                .badArgument,
                "The password in \(passwordFile) has fewer than \(PagePassword.shortest) letters; write a longer one into its first line."
            )
        }
        return PagePassword(line)
    }
}

/// A file whose contents others must not read: a password, or addresses with passwords in them.
enum PrivateFile {
    /// Returns its lines, except for empty ones and those that begin with `#`.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if it cannot be read, is not a file, or others can read it.
    static func lines(_ path: String) throws(FramegrepError) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw FramegrepError(.badArgument, "\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        guard let status = FileStatus(ofDescriptor: descriptor), status.isFile else {
            throw FramegrepError(.badArgument, "\(path) is not a file.")
        }
        guard status.values.st_mode & 0o077 == 0 else {
            throw FramegrepError(
                .badArgument, "\(path) can be read by other users; run 'chmod 600 \(path)'.")
        }
        guard status.size <= 1 << 20, let bytes = PipeBytes.readSome(1 << 20, from: descriptor),
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw FramegrepError(.badArgument, "\(path) is not a text of at most a megabyte.")
        }
        return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }
}

/// Ports of this machine's loopback addresses.
public enum LoopbackPort {
    /// Returns the port to listen at: the requested one, or for 0 any free one.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if it is taken.
    public static func choose(_ wanted: Int) throws(FramegrepError) -> Int {
        guard let port = bound(to: UInt16(wanted)) else {
            throw FramegrepError(
                .badArgument,
                "Port \(wanted) cannot be used: \(String(cString: strerror(errno))). Is the page served already? --port names another, 0 any that is free."
            )
        }
        return Int(port)
    }

    /// Returns whether this machine has an address ::1 at which the port is free.
    public static func hasVersion6(_ port: Int) -> Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(port).bigEndian
        address.sin6_addr = in6addr_loopback
        return withBoundSocket(AF_INET6, to: &address) { _, _ in true } ?? false
    }

    private static func bound(to port: UInt16) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withBoundSocket(AF_INET, to: &address) { descriptor, address in
            listen(descriptor, 1) == 0 && getsockname(descriptor, address, &length) == 0
        }
        return isBound == true ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Calls `body` with a socket that is bound to an address, and closes it afterward; nil if it cannot be bound. As
    /// for servers, the address of a server that has just ended counts as free.
    private static func withBoundSocket<Address, Result>(
        _ family: Int32, to address: inout Address, _ body: (Int32, UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result? {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, socklen_t(MemoryLayout<Address>.size)) == 0 ? body(descriptor, address) : nil
            }
        }
    }
}

/// The sentence for the user if the server cannot continue.
public enum ServeFailure {
    public static func sentence(_ error: any Error) -> String { (error as? FramegrepError)?.message ?? "\(error)" }

    /// - Parameter reason: the system's error number; nil if the address is invalid.
    public static func unbound(_ address: String, port: Int, _ reason: Int32?) -> FramegrepError {
        let why = reason.map { String(cString: strerror($0)) } ?? "it is not an address"
        return FramegrepError(
            .badArgument,
            "The page cannot be served at \(address), port \(port): \(why). --address must be one of this machine's own addresses, and --port a port that nothing else uses."
        )
    }

    public static func unusable(certificate: String, key: String, _ reason: String) -> FramegrepError {
        FramegrepError(
            .badArgument,
            "\(certificate) and \(key) are not a certificate and its key in PEM, or cannot be read: \(reason).")
    }
}
