internal import CTesseract
internal import TextSpotting

/// Goes over what Tesseract recognized, symbol by symbol; owns its iterator.
struct ResultWalk: ~Copyable {
    private let iterator: OpaquePointer
    /// The same object seen as an iterator over places; freed with ``iterator``.
    private let page: OpaquePointer?

    init(takingOwnershipOf iterator: OpaquePointer) {
        self.iterator = iterator
        page = TessResultIteratorGetPageIteratorConst(iterator)
    }

    deinit { TessResultIteratorDelete(iterator) }

    /// The lines that hold at least one word, in Tesseract's order.
    consuming func lines() -> [TextLine] {
        var lines: [TextLine] = []
        var line = LineInProgress()
        repeat {
            if TessPageIteratorIsAtBeginningOf(page, RIL_TEXTLINE) != 0 {
                if let finished = line.finished() { lines.append(finished) }
                line = LineInProgress()
            }
            if TessPageIteratorIsAtBeginningOf(page, RIL_WORD) != 0 {
                line.beginWord(bounds: bounds(RIL_WORD), confidence: confidence(RIL_WORD))
            }
            if let text = text(RIL_SYMBOL) {
                line.add(text, bounds: bounds(RIL_SYMBOL), confidence: confidence(RIL_SYMBOL))
            }
        } while TessResultIteratorNext(iterator, RIL_SYMBOL) != 0
        if let finished = line.finished() { lines.append(finished) }
        return lines
    }

    private func bounds(_ level: TessPageIteratorLevel) -> Rect? {
        var left: CInt = 0
        var top: CInt = 0
        var right: CInt = 0
        var bottom: CInt = 0
        guard TessPageIteratorBoundingBox(page, level, &left, &top, &right, &bottom) != 0, right > left, bottom > top
        else { return nil }
        return Rect(x: Double(left), y: Double(top), width: Double(right - left), height: Double(bottom - top))
    }

    private func text(_ level: TessPageIteratorLevel) -> String? {
        guard let text = TessResultIteratorGetUTF8Text(iterator, level) else { return nil }
        defer { TessDeleteText(text) }
        return String(cString: text)
    }

    /// 0 to 1; Tesseract counts to 100.
    private func confidence(_ level: TessPageIteratorLevel) -> Double {
        min(1, max(0, Double(TessResultIteratorConfidence(iterator, level)) / 100))
    }
}
