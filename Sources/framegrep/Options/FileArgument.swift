import ArgumentParser

/// A file that an option names to be read, such as a file of patterns, of credentials or of certificates.
///
/// Every option that takes such a file has this type, so that ``OutputPlan`` finds it without being told of each: nothing is written over what
/// is read. A test walks all options that take a file.
struct FileArgument: ExpressibleByArgument, Hashable, Sendable {
    let path: String

    init(argument: String) { path = argument }

    /// The paths of all files that these options name to be read, in whichever group of options they stand.
    static func paths(in options: Any) -> [String] {
        if let file = options as? FileArgument { return [file.path] }
        // Property wrappers, groups, arrays and optionals are all made of parts.
        return Mirror(reflecting: options).children.flatMap { paths(in: $0.value) }
    }
}
