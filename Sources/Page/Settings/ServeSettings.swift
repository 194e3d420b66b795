public import Errors
public import TextIndex

/// What `framegrep serve` is told on its command line, which it hands on to `framegrep-serve` as it is.
public struct ServeSettings: Hashable, Sendable {
    /// Where the server listens where nobody says otherwise.
    public static let usualPort = 8437

    /// 0 for any that is free.
    public var port = ServeSettings.usualPort
    /// The folder of the index; nil for the user's own.
    public var index: String?
    /// A browser is opened.
    public var opens = false
    /// Only this machine: the names of its own address.
    public var address = ServeSettings.ownAddress

    public static let ownAddress = "127.0.0.1"

    public init() {}

    /// - Parameter arguments: without the program's name.
    /// - Throws: ``FramegrepError`` (`badArgument`) for what is not understood, or not done.
    public init(arguments: [String]) throws(FramegrepError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let halves = argument.split(separator: "=", maxSplits: 1).map(String.init)
            var value: String? = halves.count > 1 ? halves[1] : nil
            switch halves.first ?? "" {
            case "--open" where value == nil: opens = true
            case "--port", "--index", "--address":
                value = value ?? rest.popFirst()
                guard let value, !value.isEmpty else {
                    throw FramegrepError(.badArgument, "\(argument) needs a value behind it.")
                }
                try set(halves[0], value)
            default:
                throw FramegrepError(
                    .badArgument, "serve does not know '\(argument)'; 'framegrep serve --help' lists its options.")
            }
        }
        try check()
    }

    private mutating func set(_ option: String, _ value: String) throws(FramegrepError) {
        switch option {
        case "--index": index = value
        case "--address": address = value
        default:
            guard let number = Int(value) else {
                throw FramegrepError(.badArgument, "--port takes a number, and '\(value)' is none.")
            }
            port = number
        }
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for what cannot be, or is not done.
    public func check() throws(FramegrepError) {
        guard (0...65535).contains(port) else {
            throw FramegrepError(.badArgument, "--port is from 1 to 65535, or 0 for any that is free; \(port) is not.")
        }
        guard ["127.0.0.1", "localhost", "::1", "[::1]"].contains(address) else {
            throw FramegrepError(
                .badArgument,
                "The page is for this machine only, and is not served at \(address): it has no password of its own. From another machine, open it through SSH: ssh -L \(port):127.0.0.1:\(port) this-machine."
            )
        }
    }

    /// The same as arguments.
    public var arguments: [String] {
        var arguments = ["--port", String(port), "--address", address]
        if let index { arguments += ["--index", index] }
        if opens { arguments.append("--open") }
        return arguments
    }

    public func folder() throws -> IndexFolder { try IndexFolder(index) }
}
