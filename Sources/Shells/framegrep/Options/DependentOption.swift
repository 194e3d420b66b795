import Errors

/// An option that has no effect without another one. Without that it is refused, because a user who gives it expects it to do
/// something.
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
            .badArgument,
            "\(idle.name) is about \(idle.subject), and has no effect without it: add that, or leave it out.")
    }
}
