import Errors
import Foundation
import TestSupport
import Testing

@testable import ScreenSearch
@testable import Screens

/// The answers of a Wayland desktop's portal, and what is kept of them. scripts/check wayland tries the conversation itself.
struct SharedScreenTests {
    @Test func anAnswerIsTakenApart() throws {
        let answer = try BusValue(
            parsing: """
                (uint32 0, {'streams': <[(uint32 35, {'position': <(0, 0)>, 'size': <(1920, 1080)>, \
                'source_type': <uint32 2>})]>, 'restore_token': <'5649a817'>})
                """)
        let results = try ScreenCast.results(of: answer)
        #expect(try ScreenCast.stream(in: results) == ScreenCast.Stream(node: 35, token: "5649a817"))
        // A desktop that remembers nothing.
        let older = try BusValue(parsing: "{'streams': <[(uint32 7, @a{sv} {})]>, 'restore_token': <''>}")
        #expect(try ScreenCast.stream(in: older) == ScreenCast.Stream(node: 7, token: nil))
    }

    @Test(arguments: [
        ("(uint32 1, @a{sv} {})", "refused or closed"), ("(uint32 2, @a{sv} {})", "could not share"),
        ("(uint32 9, @a{sv} {})", "does not understand"), ("('no', @a{sv} {})", "does not understand"),
        ("(uint32 0,)", "does not understand"),
    ])
    func aRefusalIsASentence(answer: String, words: String) throws {
        let error = #expect(throws: FramegrepError.self) { try ScreenCast.results(of: BusValue(parsing: answer)) }
        #expect(
            error?.code == .sourceUnavailable && error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        "@a{sv} {}", "{'streams': <@a(ua{sv}) []>}", "{'streams': <'35'>}", "{'streams': <[('35', @a{sv} {})]>}",
    ])
    func anAnswerWithoutAStreamIsNone(results: String) throws {
        let error = #expect(throws: FramegrepError.self) { try ScreenCast.stream(in: BusValue(parsing: results)) }
        #expect(error?.message.contains("does not understand") == true)
    }

    @Test func whatTheDesktopCannotShareIsNotAskedFor() throws {
        #expect(try ScreenCast.types(of: .all, among: 7) == 3)
        #expect(try ScreenCast.types(of: .all, among: 1) == 1)
        #expect(try ScreenCast.types(of: .monitor(2), among: 3) == 1)
        #expect(try ScreenCast.types(of: .window("Mail"), among: 3) == 2)
        let error = #expect(throws: FramegrepError.self) { try ScreenCast.types(of: .window(""), among: 1) }
        #expect(error?.message.contains("monitors only") == true)
    }

    @Test func textsCannotBreakOut() throws {
        for text in ["plain", "it's", "a\\'b", "\"", "<'x'>", "line\nline", "여기"] {
            #expect(try BusValue(parsing: BusValue.quoted(text)).text == text)
        }
    }

    @Test func theAnswerIsKeptForEachPartOfItsOwn() throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_STATE_HOME": folder.path]
        let answers = SharingAnswers(environment: environment)
        #expect(answers.token(for: .all) == nil)
        answers.keep("one", for: .all)
        answers.keep("two", for: .monitor(2))
        answers.keep("never", for: .window("Mail"))
        let later = SharingAnswers(environment: environment)
        #expect(later.token(for: .all) == "one" && later.token(for: .monitor(2)) == "two")
        #expect(later.token(for: .monitor(1)) == nil && later.token(for: .window("Mail")) == nil)
        // A token is good for one time; the next one comes with the answer.
        later.keep("three", for: .all)
        later.keep(nil, for: .monitor(2))
        #expect(answers.token(for: .all) == "three" && answers.token(for: .monitor(2)) == nil)
        let file = folder.file("framegrep/screen-sharing")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "all\tthree\n")
    }
}
