import Errors

/// An option that has no effect without another one. It is then refused, because a user who gives it expects an effect.
struct DependentOption {
    private let name: String
    private let isIdle: Bool
    private let subject: String

    /// - Parameters:
    ///   - subject: the name of the other option in a sentence.
    ///   - isAsked: whether the other option is given.
    init(_ name: String, isGiven: Bool, about subject: String, isAsked: Bool) {
        self.name = name
        self.subject = subject
        isIdle = isGiven && !isAsked
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for the first option without an effect.
    static func check(_ options: [DependentOption]) throws(FramegrepError) {
        guard let idle = options.first(where: \.isIdle) else { return }
        throw FramegrepError(
            .badArgument,
            "\(idle.name) is about \(idle.subject), and has no effect without it: add that, or leave it out.")
    }
}
