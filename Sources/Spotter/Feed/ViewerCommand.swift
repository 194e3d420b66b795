import Foundation
package import GStreamerMedia
package import TextMatching

/// A command of the page's server to a live job: one line of JSON on its standard input.
package struct ViewerCommand: Codable, Sendable, Hashable {
    /// The encodings that the viewers want; others are not made.
    package struct Look: Codable, Sendable, Hashable {
        package var kinds: Set<FrameEncoder.Kind>
        /// Not larger than this, in pixels.
        package var longestSide: Int

        package init(kinds: Set<FrameEncoder.Kind> = [], longestSide: Int = 1280) {
            (self.kinds, self.longestSide) = (kinds, longestSide)
        }
    }

    /// The words to search for from now on.
    package struct Words: Codable, Sendable, Hashable {
        package var patterns: [String]
        package var kind: String
        package var caseSensitive: Bool
        package var wholeWords: Bool
        package var requiresAll: Bool

        package init(_ patterns: [String], _ manner: SearchMode) {
            self.patterns = patterns
            kind = manner.kind.name
            (caseSensitive, wholeWords) = (manner.options.caseSensitive, manner.options.wholeWords)
            requiresAll = manner.requiresAll
        }

        package var manner: SearchMode {
            SearchMode(
                kind: .named(kind), options: MatchOptions(caseSensitive: caseSensitive, wholeWords: wholeWords),
                requiresAll: requiresAll)
        }
    }

    package var look: Look?
    package var words: Words?
    /// The next frame must be decodable by itself.
    package var needsKey: Bool?
    /// Put everything read so far into the index now; an event `kept` follows when it is there.
    package var keep: Bool?

    package init(look: Look? = nil, words: Words? = nil, needsKey: Bool? = nil, keep: Bool? = nil) {
        (self.look, self.words, self.needsKey, self.keep) = (look, words, needsKey, keep)
    }

    package func line() -> [UInt8] { ((try? JSONEncoder().encode(self)).map { Array($0) } ?? []) + [0x0A] }
}

extension PatternKind {
    fileprivate var name: String {
        switch self {
        case .expression: "regex"
        case .exact: "exact"
        default: "plain"
        }
    }

    fileprivate static func named(_ name: String) -> PatternKind {
        switch name {
        case "regex": .expression
        case "exact": .exact
        default: .plain
        }
    }
}
