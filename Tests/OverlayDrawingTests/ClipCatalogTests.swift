import ClipRendering
import Errors
import Foundation
import Painting
import Testing
import TextSpotting

@Suite struct ClipCatalogTests {
    @Test func namesAreFileNamesAndDiffer() throws {
        let names = ClipCatalog.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") } })
        #expect(try ClipCatalog.scene(named: "demo").texts.contains { $0.text == "EXIT" })
        #expect { try ClipCatalog.scene(named: "no such clip") } throws: {
            guard let error = $0 as? FramegrepError else { return false }
            return error.code == .badArgument && error.message.contains("demo")
        }
    }

    @Test(arguments: ClipCatalog.all.map(\.name)) func everyTextCanBeRead(name: String) throws {
        let truth = try ClipTruth(of: ClipCatalog.scene(named: name))
        #expect(!truth.texts.isEmpty && !truth.absent.isEmpty)
        for text in truth.texts {
            let isReadable = text.spans.contains { !$0.frames.isEmpty }
            #expect(isReadable, "“\(text.text)” is never whole")
            for absent in truth.absent {
                #expect(!text.text.lowercased().contains(absent.lowercased()), "“\(absent)” is in “\(text.text)”")
            }
        }
    }

    /// Texts that are read at the same time do not cover each other.
    @Test(arguments: ClipCatalog.all.map(\.name)) func textsKeepApart(name: String) throws {
        let truth = try ClipTruth(of: ClipCatalog.scene(named: name))
        for frame in stride(from: 0, to: truth.frameCount, by: 15) {
            let places = truth.texts.compactMap { $0.place(inFrame: frame)?.quad.bounds }
            for (index, place) in places.enumerated() {
                #expect(!places[..<index].contains { !$0.intersection(place).isEmpty }, "frame \(frame)")
            }
        }
    }

    @Test func theDocumentSaysWhatTheTruthSays() throws {
        let scene = ClipScene(
            "paper", seconds: 0.4, texts: [ClipText("A \"quoted\" line", at: Point(320, 180), size: 30, frames: 2..<7)],
            absent: ["B"])
        let truth = try ClipTruth(of: scene)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(truth.json())) as? [String: Any])
        #expect(document["width"] as? Int == 640 && document["fps"] as? Int == 25 && document["frames"] as? Int == 10)
        #expect(document["absent"] as? [String] == ["B"])
        let text = try #require((document["texts"] as? [[String: Any]])?.first)
        #expect(text["text"] as? String == "A \"quoted\" line")
        #expect(text["start"] as? Double == 0.08 && text["end"] as? Double == 0.28)
        let places = try #require(text["places"] as? [[String: Any]])
        #expect(places.map { $0["frame"] as? Int } == [2, 3, 4, 5, 6])
        let corners = try #require(places[0]["quad"] as? [[Double]])
        let quad = try #require(truth.texts[0].place(inFrame: 2)).quad
        for (corner, expected) in zip(corners, quad.corners) {
            #expect(abs(corner[0] - expected.x) < 0.006 && abs(corner[1] - expected.y) < 0.006)
        }
        #expect(try truth.json() == ClipTruth(of: scene).json())
    }
}
