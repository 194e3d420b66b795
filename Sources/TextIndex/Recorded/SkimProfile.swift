/// The index's name for the manner of a skim, which reads only some pictures, mostly key frames.
///
/// The manner says so, so that a catalog that was lost is made anew from the segments.
public enum SkimProfile {
    private static let suffix = " skim"

    /// A manner of reading, of which this says that not every picture was looked at.
    public static func text(_ manner: String) -> String { manner + suffix }

    /// Whether a manner is that of a skim.
    static func isSkim(_ manner: String) -> Bool { manner.hasSuffix(suffix) }
}

extension IndexedSource {
    /// Only some of its pictures were looked at; see ``SkimProfile``.
    public var isSkimmed: Bool { SkimProfile.isSkim(manner) }
}
