import Testing
import TextSpotting

/// Numbers, times, money and codes in texts as they were read.
@Suite struct ReadValueTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var number: Double?
        var unit: String?
        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(text: "42", number: 42), Case(text: "-3.27 mV", number: -3.27, unit: "mV"),
        Case(text: "−3,5°C", number: -3.5, unit: "°C"), Case(text: "-3 ℃", number: -3, unit: "°C"),
        Case(text: "98.6℉", number: 98.6, unit: "°F"), Case(text: "1.234,50", number: 1234.5),
        Case(text: "LOAD—87.5", number: 87.5), Case(text: "— 12.0 V", number: 12, unit: "V"),
        Case(text: "1,234.50", number: 1234.5), Case(text: "1,204", number: 1204), Case(text: "1.204", number: 1.204),
        Case(text: "12 345 678", number: 12_345_678), Case(text: "1'250.75", number: 1250.75),
        Case(text: "0,125 m³", number: 0.125, unit: "m³"), Case(text: "SPEED 42 km/h", number: 42, unit: "km/h"),
        Case(text: "ALT:118m", number: 118, unit: "m"), Case(text: "97%", number: 97, unit: "%"),
        Case(text: ".5", number: 0.5),
        Case(text: "1O5", number: 105), Case(text: "I2.5 V", number: 12.5, unit: "V"),
        Case(text: "42 of those", number: 42),
        Case(text: "+7 knots", number: 7, unit: "knots"), Case(text: "2026-11-23"), Case(text: "19:41:10"),
        Case(text: "00 13", number: 13), Case(text: "000 1.5 V", number: 1.5, unit: "V"),
        Case(text: "03 70", number: 3),
        Case(text: "1e-3", number: 0.001), Case(text: "loss 2.5e-4", number: 0.000_25),
        Case(text: "-3E+05 V", number: -300_000, unit: "V"), Case(text: "le-3", number: 0.001),
        Case(text: "0 3", number: 0), Case(text: "00:00:01:12"), Case(text: "00:00:01;12"), Case(text: "EXIT"),
    ])
    func numbers(_ example: Case) {
        let found = ReadValue.all(.number, in: example.text).first
        #expect(found?.number == example.number)
        #expect(found?.unit == example.unit)
    }

    @Test(arguments: [
        Case(text: "19:41:10", number: 70_870), Case(text: "03:41.5", number: 221.5), Case(text: "12:30", number: 750),
        Case(text: "2026-11-23 19:41:10 CAM 01", number: 70_870), Case(text: "0:00:01,25", number: 1.25),
        Case(text: "12 : 30", number: 750), Case(text: "12:75"), Case(text: "1230"), Case(text: "v1:20x"),
        // Time codes of four parts: the last one is frames, of 25 a second where nothing else is known.
        Case(text: "00:00:01:12", number: 1.48), Case(text: "01:02:03;04", number: 3723.16),
        Case(text: "00 : 00 : 01 :05", number: 1.2), Case(text: "TCR 10:00:00:00", number: 36000),
        Case(text: "00:00:75:12"), Case(text: "1:2:3:4:5"),
        // Lengths with units; one alone may be a length of another kind.
        Case(text: "Uptime 2h 03m", number: 7380), Case(text: "1 h 5 min 20 s", number: 3920),
        Case(text: "3d 04h left", number: 273_600), Case(text: "2h O3m", number: 7380),
        Case(text: "5m 30s", number: 330),
        Case(text: "03m"), Case(text: "5m 2h"), Case(text: "2h 75m"), Case(text: "v2h 03m"),
    ])
    func times(_ example: Case) {
        #expect(ReadValue.all(.time, in: example.text).first?.number == example.number)
    }

    @Test(arguments: [
        Case(text: "€ 1.234,50", number: 1234.5, unit: "€"), Case(text: "38,42 EUR", number: 38.42, unit: "EUR"),
        Case(text: "$9.99", number: 9.99, unit: "$"), Case(text: "₩12,000", number: 12_000, unit: "₩"),
        Case(text: "12.40 V"),
    ])
    func money(_ example: Case) {
        let found = ReadValue.all(.money, in: example.text).first
        #expect(found?.number == example.number)
        #expect(found?.unit == example.unit)
    }

    /// A currency is printed as it was read, and one reading that missed its gap like the others at its place.
    @Test(arguments: ["$", "€", "£", "₩", "CHF"], ["", " "]) func aCurrencyKeepsItsGap(name: String, gap: String) {
        let prices = ["5.00", "9.99", "12.50", "1,250.00"]
        let before = prices.map { name + gap + $0 }
        #expect(before.flatMap { ReadValue.all(.money, in: $0) }.map(\.text) == before)
        let after = prices.map { $0 + gap + name }
        #expect(after.flatMap { ReadValue.all(.money, in: $0) }.map(\.text) == after)
        let misread = name + (gap.isEmpty ? " " : "") + "7.25"
        #expect(
            ReadValue.all(.money, in: misread, manner: ValueNotation(of: before + [misread])).map(\.text) == [
                name + gap + "7.25"
            ])
    }

    /// A quick reading may miss the gap between two units.
    @Test func unitsOfTimeHaveTheGapsOfTheOthersAtTheirPlace() {
        let manner = ValueNotation(of: ["2h 03m", "2h04m", "2h 05m"])
        let found = ["2h04m", "2h 05m"].flatMap { ReadValue.all(.time, in: $0, manner: manner) }
        #expect(found.map(\.text) == ["2h 04m", "2h 05m"])
    }

    @Test func codesAreWordsWithADigit() {
        #expect(ReadValue.all(.code, in: "Ticket A-017, please").map(\.text) == ["A-017"])
        #expect(ReadValue.all(.code, in: "SEAT B12").map(\.text) == ["B12"])
        #expect(ReadValue.all(.code, in: "EXIT").isEmpty)
    }

    @Test(arguments: [
        ("12:30", ValueKind.time), ("€ 5", .money), ("42 km/h", .number), ("A-017", .code), ("B12", .code),
        ("12.5V", .number), ("2h 03m", .time), ("1e-3", .number), ("le-3", .number),
    ]) func theKindIsSeen(_ text: String, _ kind: ValueKind) {
        #expect(ReadValue.likelyKind(of: text) == kind)
        #expect(ReadValue.likelyKind(of: "EXIT") == nil)
    }

    @Test func timeCodesCountAsManyFramesAsTheirNumbersNeed() {
        func number(_ last: String) -> Double? {
            ReadValue.all(.time, in: "00:00:01:12", manner: ValueNotation(of: ["00:00:00:\(last)"])).first?.number
        }
        #expect(number("24") == 1.48 && number("29") == 1.4 && number("49") == 1.24)
        #expect(ReadValue.all(.time, in: "00:00:01;12").map(\.text) == ["00:00:01;12"])
        #expect(ReadValue.all(.number, in: "00 13").map(\.text) == ["0013"])
        let blinking = ValueNotation(of: ["00:00:01:12", "00:00:01:13"])
        #expect(ReadValue.all(.time, in: "00 00 01 14", manner: blinking).first?.text == "00:00:01:14")
    }

    @Test func whatTheOthersShowSettlesWhatOneLeavesOpen() {
        let comma = ValueNotation(of: ["2,5", "1,125"])
        #expect(ReadValue.all(.number, in: "1,125", manner: comma).first?.number == 1.125)
        #expect(ReadValue.all(.number, in: "1.125", manner: comma).first?.number == 1125)
        let clock = ValueNotation(of: ["12:30", "12 31"])
        #expect(ReadValue.all(.time, in: "12 31", manner: clock).first?.text == "12:31")
        #expect(ReadValue.all(.time, in: "1231", manner: clock).first?.number == 751)
        let speed = ValueNotation(of: ["30km/h", "31 km/h", "32 km/h", "7 °C"])
        #expect(ReadValue.all(.number, in: "30km/h", manner: speed).map(\.text) == ["30 km/h"])
        #expect(ReadValue.all(.number, in: "5V", manner: speed).map(\.text) == ["5V"])
        #expect(ReadValue.all(.money, in: "€ 2.50 for 2 h").map(\.text) == ["€ 2.50"])
        let close = ValueNotation(of: ["11V", "12V", "12 V"])
        #expect(ReadValue.all(.number, in: "12 V", manner: close).map(\.text) == ["12V"])
    }

    @Test(arguments: [
        "", " ", "-", ".", ",,,", "1:", ":1", "1,,2", "٣٤", "9999999999999999999999999", "1.2.3.4", "--5", "\u{202E}12",
    ])
    func oddTextsAreRead(_ text: String) {
        for kind in ValueKind.allCases {
            for value in ReadValue.all(kind, in: text) { #expect(value.number?.isFinite ?? true) }
        }
    }
}
