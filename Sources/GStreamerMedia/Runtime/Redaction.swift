/// Text without the passwords in it: fit for messages, logs and result files.
///
/// Takes away the user information of every URI (`rtsp://user:secret@camera/` becomes `rtsp://camera/`) and the values
/// of the properties and query fields that hold secrets.
public func redacted(_ text: String) -> String {
    text.replacing(#/(?<scheme>[A-Za-z][A-Za-z0-9+.\-]*://)[^/\s"'?#]*@/#) { "\($0.scheme)" }
        .replacing(
            #/(?<name>\b(?:user-pw|user-id|password|passwd|passphrase|pass|pwd|pw|secret|token|access_token|api_key|apikey|auth)=)(?:"[^"]*"|'[^']*'|[^\s&"';,]+)/#
                .ignoresCase()
        ) { "\($0.name)***" }
}

/// A library's message as a full sentence: trimmed, without its passwords, ending in a full stop.
func sentence(_ text: String) -> String {
    let trimmed = redacted(text).trimmingSpace()
    guard let last = trimmed.last else { return "" }
    return ".!?".contains(last) ? trimmed : trimmed + "."
}

extension String {
    /// Without white space at either end.
    func trimmingSpace() -> String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
