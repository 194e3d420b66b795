import Testing

@testable import TextMatching

struct SoundTests {
    private let drawers = [
        "TRANSISTORS", "CABLE TIES", "FUSES 10A", "WASHERS", "EMERGENCY STOP", "EXIT", "M3 nuts", "GATE 12",
        "HEX BOLTS",
        "Paper Clips", "Motor oil", "WIPER BLADES", "DRILL BITS",
    ]

    private func nearest(_ heard: String) -> String? { HeardWords(drawers).nearest(to: heard, count: 3).first?.text }

    @Test(arguments: [
        ("translators", "TRANSISTORS"), ("came all ties", "CABLE TIES"), ("few this to an amp", "FUSES 10A"),
        ("gate twelve", "GATE 12"), ("hacks bolds", "HEX BOLTS"), ("egg sit", "EXIT"), ("m three nuts", "M3 nuts"),
        ("wipe her blades", "WIPER BLADES"), ("trill bits", "DRILL BITS"), ("more oil", "Motor oil"),
    ])
    func whatWasMisheardIsNearToWhatWasSaid(_ heard: String, _ said: String) { #expect(nearest(heard) == said) }

    @Test func aWordIsTheSameAsItself() {
        for line in drawers + ["résumé", "O'Brien", "Wi-Fi"] {
            let way = SpokenText.ways(of: line)[0]
            #expect(SoundDistance.normalized(way, way) == 0, "\(line)")
        }
    }

    @Test func numbersAreSaidAsWordsOrDigitByDigit() {
        func sounds(_ text: String) -> [Sound] { SpokenText.ways(of: text)[0] }
        #expect(SpokenText.ways(of: "12").contains(sounds("twelve")))
        #expect(SpokenText.ways(of: "404").contains(sounds("4 0 4")))
        #expect(SpokenText.ways(of: "...").isEmpty)
        #expect(SpokenText.ways(of: "").isEmpty)
    }

    @Test func soundsThatAreAlikeCostLess() {
        #expect(Sound.cost(.s, .z) < Sound.cost(.s, .m))
        #expect(Sound.cost(.i, .ee) < Sound.cost(.i, .ow))
        for one in [Sound.a, .p, .y, .er] { #expect(Sound.cost(one, .k) == Sound.cost(.k, one)) }
        #expect(SoundDistance.cost([.k, .a, .t], [.k, .a, .t, .s]) == Sound.s.lostCost)
    }

    // MARK: What was meant

    @Test func whatIsThereIsSearchedFor() throws {
        let search = try #require(
            VoiceSearch(
                heard: "translators",
                [
                    VoiceCandidate(text: "EXIT", distance: 0.9, lead: -20),
                    VoiceCandidate(text: "TRANSISTORS", distance: 0.2, lead: -3),
                    VoiceCandidate(text: "RESISTORS", distance: 0.4, lead: -8),
                ]))
        #expect(search.text == "TRANSISTORS")
        #expect(search.sentence == "heard \"translators\" → TRANSISTORS")
        #expect(search.others == ["RESISTORS", "translators"])
    }

    @Test func whatIsNotThereIsSearchedForAsItWasHeard() throws {
        let search = try #require(
            VoiceSearch(heard: "umbrella", [VoiceCandidate(text: "EXIT", distance: 0.9, lead: -25)]))
        #expect(search.text == "umbrella")
        #expect(search.sentence == "heard \"umbrella\"")
        #expect(search.others.isEmpty)
    }

    @Test(arguments: ["", "...", "la la la la la la", "one two three four five six seven eight nine ten eleven"])
    func whatIsNoSearchIsNone(_ heard: String) { #expect(VoiceSearch(heard: heard, []) == nil) }
}
