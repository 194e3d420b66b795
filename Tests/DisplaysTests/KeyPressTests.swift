import Foundation
import Testing

@testable import Displays

@Suite struct KeyPressTests {
    @Test(arguments: [
        ("q", "q"), ("Q", "Q"), ("space", " "), ("exclam", "!"), ("KP_7", "7"), ("KP_Divide", "/"), ("adiaeresis", "ä"),
        ("EuroSign", "€"), ("Cyrillic_shorti", "й"), ("Greek_lambda", "λ"), ("Hangul_Kiyeog", "ㄱ"), ("kana_A", "ア"),
        ("Aogonek", "Ą"), ("U65E5", "日"), ("U1F600", "😀"), ("é", "é"), ("日", "日"),
    ])
    func namesTypeTheirCharacter(name: String, text: String) {
        #expect(KeyPress(named: name).text == text)
    }

    @Test(arguments: [
        "", "Return", "Escape", "BackSpace", "Tab", "Delete", "Left", "F12", "Shift_L", "ISO_Level3_Shift",
        "dead_acute",
        "Multi_key", "KP_Left", "unknown", "U0007", "UD800", "U110000", "\u{1B}", "\u{85}",
    ])
    func otherNamesTypeNothing(name: String) {
        #expect(KeyPress(named: name).text == nil)
    }

    @Test func aKeyWithControlTypesNothing() {
        #expect(KeyPress(name: "q", text: "q", isShortcut: true).text == nil)
    }
}

@Suite struct ComposerTests {
    private func feed(_ names: String..., locale: String = "en_US.UTF-8") -> [Composer.Step] {
        let composer = Composer(locale: locale)
        var steps: [Composer.Step] = []
        for name in names { if let symbol = KeySymbol(named: name) { steps.append(composer.feed(symbol)) } }
        return steps
    }

    @Test func lettersThatTakeSeveralKeys() {
        #expect(feed("dead_acute", "e", "x") == [.waiting, .letter("é"), .itself])
        #expect(feed("Multi_key", "o", "c") == [.waiting, .waiting, .letter("©")])
        #expect(feed("dead_circumflex", "Shift_L", "E") == [.waiting, .itself, .letter("Ê")])
    }

    @Test func whatMakesNoLetterIsNothingButReturnAndEscapeStay() {
        #expect(feed("dead_acute", "q", "q") == [.waiting, .nothing, .itself])
        #expect(feed("dead_acute", "Escape", "e") == [.waiting, .itself, .itself])
        #expect(feed("dead_acute", "Return") == [.waiting, .itself])
    }

    @Test func theLocaleSaysWhatALetterIs() {
        #expect(feed("dead_acute", "c", locale: "pt_BR.UTF-8") == [.waiting, .letter("ç")])
        for locale in ["C", "POSIX", "", "C.UTF-8", "xx_YY.UTF-8", "de_DE"] {
            #expect(feed("dead_acute", "c", locale: locale) == [.waiting, .letter("ć")], "\(locale)")
        }
        #expect(Composer.locale(in: ["LC_ALL": "", "LC_CTYPE": "ko_KR.UTF-8", "LANG": "C"]) == "ko_KR.UTF-8")
        #expect(Composer.locale(in: [:]) == "C")
    }
}

@Suite struct DisplayAvailabilityTests {
    @Test func whatIsNotThereIsSaid() {
        #expect(DisplayAvailability.in(environment: [:]) == .none(reason: ""))
        #expect(DisplayAvailability.in(environment: ["WAYLAND_DISPLAY": "/nosuch/socket"]) == .none(reason: ""))
        let reason = "The X server ':4242' cannot be reached."
        #expect(DisplayAvailability.in(environment: ["DISPLAY": ":4242"]) == .none(reason: reason))
    }

    @Test func theScreenIsWaylandsWhereTheSessionIs() throws {
        // Listens as a compositor does.
        let path = NSTemporaryDirectory() + "framegrep-\(getpid())"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && listen(descriptor, 4) == 0)

        let named = ["WAYLAND_DISPLAY": path, "DISPLAY": ":4242"]
        #expect(DisplayAvailability.ofScreen(in: named) == .wayland)
        let forced = named.merging(["XDG_SESSION_TYPE": "x11"]) { $1 }
        #expect(DisplayAvailability.ofScreen(in: forced) == .wayland, "no X server answers")
        // A display that is not named is used only if there is no other.
        #expect(DisplayAvailability.ofScreen(in: ["WAYLAND_DISPLAY": "", "DISPLAY": ""]) == .none(reason: ""))
        let gone = ["WAYLAND_DISPLAY": path + "-gone"]
        #expect(DisplayAvailability.ofScreen(in: gone) == .none(reason: ""))
    }
}
