public import TextMatching

/// Which cameras and streams the page watches, and for what.
public struct WatchSettings: Hashable, Sendable {
    /// As `framegrep live` takes them.
    public var sources: [String] = []
    /// The words that are searched for at the start.
    public var words: [String] = []
    public var manner = SearchMode()
    /// More options of `framegrep live`, for each of them.
    public var options: [String] = []
    /// Whether the text that is read goes into the index.
    public var remembers = false
    /// The program that runs the jobs.
    public var program = "framegrep"

    public init() {}

    /// More cameras than this no machine reads.
    public static let most = 32

    /// The command line of a source's job: options and the source of `framegrep live`.
    ///
    /// - Parameter index: the folder of the index.
    func arguments(of source: String, index: String) -> [String] {
        var words = ["--headless", "--patterns-from", "-"] + options
        if remembers { words += ["--remember", "--index", index] }
        // A name that begins with a dash is no option.
        return words + ["--", source]
    }
}
