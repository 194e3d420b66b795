/// Text without the passwords in it: fit for messages, logs and result files.
///
/// Takes away the user information of every address in it (`rtsp://user:secret@camera/` becomes `rtsp://camera/`) and the
/// values of the fields of its query that hold secrets, and everything that is known to be secret because it was in an
/// address or a description before. Other text stays as it is: a file may be called `token=abc.mp4`.
///
/// - Parameter naming: files are called as the user did, not `file:///…`; not so in what GStreamer is to understand.
public func redacted(_ text: String, naming: Bool = true) -> String {
    let known = Array(KnownTexts.replaced(in: text, naming: naming).unicodeScalars)
    var result = String.UnicodeScalarView()
    var index = 0
    while let mark = WrittenAddress.mark(in: known, from: index) {
        guard let start = WrittenAddress.startOfScheme(in: known, before: mark), start >= index else {
            result.append(contentsOf: known[index...mark])
            index = mark + 1
            continue
        }
        // What ends an address in a sentence.
        let end = known[mark...].firstIndex { $0.properties.isWhitespace || "\"'`<>“”‘’|".unicodeScalars.contains($0) }
        let address = String(String.UnicodeScalarView(known[start..<(end ?? known.count)]))
        result.append(contentsOf: known[index..<start])
        result.append(contentsOf: (WrittenAddress(address)?.shown ?? address).unicodeScalars)
        index = end ?? known.count
    }
    return String(result) + String(String.UnicodeScalarView(known[index...]))
}

/// A library's message as a full sentence: trimmed, without its passwords, ending in a full stop.
func sentence(_ text: String) -> String {
    let trimmed = redacted(withoutPlacesInCode(text)).trimmingSpace()
    guard let last = trimmed.last else { return "" }
    return ".!?".contains(last) ? trimmed : trimmed + "."
}

/// A message of GStreamer's without the places in its source code that some elements put into it:
/// `… failed: ../ext/soup/gstsouphttpsrc.c(1628): gst_soup_http_src_parse_status (): /GstPipeline:pipeline0/…`.
func withoutPlacesInCode(_ text: String) -> String {
    text.replacing(#/:?\s*(?:\.\./)*[\w./+\-]+\.(?:c|cc|cpp|m)\(\d+\):\s*\w+\s*\(\):?\s*(?:/\S+)?/#, with: "")
        .replacing(#/\s*\n\s*/#, with: " ")
}

extension String {
    /// Without white space at either end.
    func trimmingSpace() -> String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
