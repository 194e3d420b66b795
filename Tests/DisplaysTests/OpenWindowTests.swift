import Testing

@testable import Displays

@Suite struct OpenWindowTests {
    @Test func aWindowIsNeverLargerThanTheScreen() throws {
        #expect(OpenWindow.fitting((1280, 720), (1280, 720)) == nil)
        let fitting = try #require(OpenWindow.fitting((3840, 2160), (1280, 720)))
        #expect(fitting == (1152, 648))
        let tall = try #require(OpenWindow.fitting((1080, 1920), (1920, 1080)))
        #expect(tall.height == 972 && abs(tall.width - 547) <= 1)
        #expect(OpenWindow.fitting((0, 0), (1280, 720)) == nil)
    }

    @Test func whatWasCopiedIsOneLine() {
        #expect(Clipboard.line("EXIT") == "EXIT")
        #expect(Clipboard.line("\n\n  lot 42 \r\nmore") == "  lot 42 ")
        #expect(Clipboard.line("a\u{1B}[31mb\u{0}") == "a[31mb")
        #expect(Clipboard.line(" \n\t\n") == nil && Clipboard.line("") == nil)
    }
}
