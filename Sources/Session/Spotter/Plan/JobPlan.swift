package import TextMatching
package import TextSpotting

/// A job that the program starts as a separate process of itself, for the page, its cameras and MCP.
///
/// ``arguments`` is the only place that builds the options of such a process, and no command line: it gets the plan on
/// its standard input (``start(_:output:errors:)``).
package struct JobPlan: Codable, Hashable, Sendable {
    /// The patterns, and how to search for them.
    package struct Search: Codable, Hashable, Sendable {
        package var patterns: [String]
        package var manner: SearchMode

        package init(_ patterns: [String], _ manner: SearchMode = SearchMode()) {
            (self.patterns, self.manner) = (patterns, manner)
            self.manner.meaning = nil
        }
    }

    /// The part of a recording, by its own times and by the wall clock.
    package struct Part: Codable, Hashable, Sendable {
        package var from: StreamTime?
        package var to: StreamTime?
        package var since: String?
        package var until: String?

        package init(from: StreamTime? = nil, to: StreamTime? = nil, since: String? = nil, until: String? = nil) {
            (self.from, self.to, self.since, self.until) = (from, to, since, until)
        }
    }

    /// The kind of job.
    package enum Work: Codable, Hashable, Sendable {
        /// Prints sightings as JSON, using the index where possible.
        case find(Search, minimumScore: Double, in: Part, index: String)
        /// Prints all the text as JSON, without using the index.
        case readText(in: Part)
        /// Prints the events of a running picture as JSON, until a number of sightings or a time is reached.
        case watch(Search, count: Int, seconds: Double)
        /// Feeds the page; patterns arrive while it runs. Started as `feed-page`, which has no options of its own.
        ///
        /// - Parameters:
        ///   - options: further options, as `live` takes them.
        ///   - index: the index that stores the text; nil for none.
        case feed(options: [String], index: String?)
        /// Adds recordings to the index.
        case index(folder: String, skims: Bool)
        /// Writes a plan of what would be hidden.
        case planHiding(Search, into: String)
        /// Writes a copy in which the findings are hidden.
        case hide(Search, into: String)
        /// Writes a copy in which the places of a plan are hidden.
        case hidePlanned(plan: String, into: String)
    }

    package var work: Work
    /// Recordings, addresses and cameras.
    package var sources: [String]

    package init(_ work: Work, of sources: [String]) { (self.work, self.sources) = (work, sources) }

    /// The words of the job: a command, its options and the sources.
    package var arguments: [String] {
        // A name that begins with a dash is not an option.
        work.words + ["--"] + sources
    }

    /// Returns an option with its value in one word, so that a value that begins with a dash is not taken for an
    /// option.
    package static func option(_ name: String, _ value: String?) -> [String] { value.map { ["--\(name)=\($0)"] } ?? [] }
}

extension JobPlan.Work {
    fileprivate var words: [String] {
        switch self {
        case .find(let search, let minimumScore, let part, let index):
            ["find", "--format", "jsonl"] + JobPlan.option("index", index)
                + JobPlan.option("min-score", "\(minimumScore)") + part.words + search.words
        case .readText(let part): ["find", "--all-text", "--format", "jsonl", "--no-index"] + part.words
        case .watch(let search, let count, let seconds):
            ["live", "--headless", "--format", "jsonl", "--stats", "-m", "\(count)"]
                + JobPlan.option("timeout", "\(seconds)s") + search.words
        case .feed(let options, let index):
            ["--headless", "--patterns-from", "-"] + options + (index == nil ? [] : ["--remember"])
                + JobPlan.option("index", index)
        case .index(let folder, let skims):
            ["index", "add"] + JobPlan.option("index", folder) + (skims ? ["--skim"] : [])
        case .planHiding(let search, let file): ["redact", "-q"] + search.words + JobPlan.option("plan", file)
        case .hide(let search, let copy): ["redact", "-q"] + search.words + JobPlan.option("output", copy)
        case .hidePlanned(let plan, let copy):
            // Even if the user lets all of it stay visible.
            ["redact", "-q", "--copy-anyway"] + JobPlan.option("apply", plan) + JobPlan.option("output", copy)
        }
    }
}

extension JobPlan.Search {
    fileprivate var words: [String] {
        let flags = [
            ("--extended-regexp", manner.kind == .expression), ("--exact", manner.kind == .exact),
            ("--case-sensitive", manner.options.caseSensitive), ("--whole-words", manner.options.wholeWords),
            ("--all", manner.requiresAll),
        ]
        return flags.filter(\.1).map(\.0) + patterns.flatMap { JobPlan.option("pattern", $0) }
    }
}

extension JobPlan.Part {
    fileprivate var words: [String] {
        JobPlan.option("from", from.map { "\($0.seconds)" }) + JobPlan.option("to", to.map { "\($0.seconds)" })
            + JobPlan.option("since", since) + JobPlan.option("until", until)
    }
}
