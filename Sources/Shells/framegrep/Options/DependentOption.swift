import Errors

/// An option that is about what another one asks for, so that it does nothing without that: it is refused, because who gives it expects
/// something of it.
struct DependentOption {
    private let name: String
    private let isIdle: Bool
    private let subject: String

    /// - Parameters:
    ///   - subject: the other option, as it is named in a sentence.
    ///   - isAsked: the other one is given, too.
    init(_ name: String, isGiven: Bool, about subject: String, isAsked: Bool) {
        self.name = name
        self.subject = subject
        isIdle = isGiven && !isAsked
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for the first that would do nothing.
    static func check(_ options: [DependentOption]) throws(FramegrepError) {
        guard let idle = options.first(where: \.isIdle) else { return }
        throw FramegrepError(
            .badArgument, "\(idle.name) is about \(idle.subject), and does nothing without; add that, or leave it out.")
    }
}
