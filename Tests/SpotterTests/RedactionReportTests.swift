import Testing
import TextSpotting

@testable import Spotter

/// The page for the person who signs a redaction.
@Suite struct RedactionReportTests {
    @Test func whatWasReadIsTextAndNothingElse() {
        let hostile = "<script>alert('x')</script> & \u{1}\u{202E}"
        let entries = [
            RedactionReport.Entry(title: hostile, time: .zero, place: nil, isDoubtful: false),
            RedactionReport.Entry(title: "1 line could not be read", time: .zero, place: nil, isDoubtful: true),
        ]
        let page = RedactionReport(title: hostile, statement: hostile, entries: entries).html
        #expect(!page.contains("<script") && !page.contains("\u{1}"))
        #expect(page.contains("&lt;script&gt;") && page.contains("&amp;"))
        #expect(page.contains("Hidden") && page.contains("Could not be checked") && page.contains("as secret as"))
    }

    @Test func moreThanCanBeShownAreCounted() {
        let entry = RedactionReport.Entry(title: "x", time: .zero, place: nil, isDoubtful: false)
        let page = RedactionReport(title: "a", statement: "b", entries: Array(repeating: entry, count: 405)).html
        #expect(page.contains("5 more are not shown"))
    }
}
