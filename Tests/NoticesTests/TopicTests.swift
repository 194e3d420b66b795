import Foundation
import Testing
import TextSpotting

@testable import Notices

/// Names in topics, and the announcements to Home Assistant.
struct TopicTests {
    @Test func namesOfPatternsKeepOutOfOtherTopics() {
        let topics = NoticeTopics(node: "cam", source: "lobby.mp4")
        #expect(topics.present("EXIT") == "framegrep/cam/lobby.mp4/EXIT/present")
        #expect(topics.present("비상구") == "framegrep/cam/lobby.mp4/비상구/present")
        let hostile = [
            "a/b", "a+b", "a#b", "#", "+", "/", "", "$SYS", "a\u{0}b", "a\nb", "a\u{202E}b", "sighting", "patterns",
            "values",
        ]
        var seen = Set<String>()
        for name in hostile {
            let topic = topics.text(name)
            let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
            #expect(levels.count == 5 && !levels.contains(""), "\(topic)")
            #expect(!topic.contains { "+#".contains($0) }, "\(topic)")
            #expect(topic.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x202E })
            #expect(!["sighting", "patterns", "values"].contains(levels[3]))
            #expect(seen.insert(topic).inserted, "two patterns share \(topic)")
        }
        #expect(topics.text(String(repeating: "e\u{301}\u{302}", count: 5000)).utf8.count < 600)
    }

    @Test func sourcesHavePlainNames() {
        func source(_ name: String) -> String { NoticeTopics(node: "n", source: name).source }
        #expect(source("rtsp://camera/stream?token=abc") == "camera-stream")
        #expect(source("/dev/video0") == "dev-video0")
        #expect(source("camera") == "camera")
        #expect(source("///") == "source" && source("") == "source")
        #expect(!source("+/#").contains { "+/#".contains($0) })
    }

    @Test func homeAssistantLearnsOfEachPattern() throws {
        let topics = NoticeTopics(node: "cam 1", source: "camera")
        let device = HomeAssistantDevice(topics, version: "1.2")
        // This is Home Assistant's rule for the two parts of a discovery topic.
        #expect(device.topic.wholeMatch(of: /homeassistant\/device\/[a-zA-Z0-9_-]+\/config/) != nil)
        let text = device.document(patterns: ["EXIT", "a\"b\\/"], gone: ["OLD"])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["dev"] != nil && object["o"] != nil && object["avty_mode"] as? String == "all")
        #expect(
            (object["avty"] as? [[String: String]])?.map { $0["t"] }
                == ["framegrep/cam 1/status", "framegrep/cam 1/camera/available"])
        let components = try #require(object["cmps"] as? [String: [String: Any]])
        #expect(components.count == 1 + 2 * 3 + 3)
        let event = try #require(components["sighting"])
        #expect(event["p"] as? String == "event" && event["event_types"] as? [String] == ["appeared", "disappeared"])
        #expect(components["EXIT_present"]?["p"] as? String == "binary_sensor")
        #expect(components["EXIT_text"]?["state_topic"] as? String == topics.text("EXIT"))
        #expect(components["EXIT_picture"]?["image_topic"] as? String == topics.picture("EXIT"))
        // A component with nothing but its platform is removed.
        #expect(components["OLD_present"]?.keys.sorted() == ["p"])
        let names = components.values.compactMap { $0["unique_id"] as? String }
        #expect(Set(names).count == names.count && names.count == 7)
    }

    @Test func aValueIsASensorOfItsOwn() throws {
        let topics = ValueTopics(node: "cam", source: "/dev/video0", name: "kWh")
        #expect(topics.state == "framegrep/cam/dev-video0/values/kWh/state")
        #expect(
            topics.discovery(prefix: "homeassistant").wholeMatch(of: /homeassistant\/device\/[a-zA-Z0-9_-]+\/config/)
                != nil)
        // Topics of patterns differ from those of values, and those of two values from each other.
        let patterns = NoticeTopics(node: "cam", source: "/dev/video0")
        for name in ["state", "present", "a/b", "+", "#", "", "$SYS", "a\u{202E}b"] {
            let value = ValueTopics(node: "cam", source: "/dev/video0", name: name)
            #expect(!value.state.contains { "+#".contains($0) } && value.state.split(separator: "/").count == 6)
            #expect(!patterns.present("values").hasPrefix("framegrep/cam/dev-video0/values/"), "\(value.state)")
        }
        let text = topics.document(version: "1", unit: "k\"W\nh", isNumber: true)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let sensor = try #require((object["cmps"] as? [String: [String: Any]])?["value"])
        #expect(sensor["p"] as? String == "sensor" && sensor["state_topic"] as? String == topics.state)
        #expect(
            sensor["state_class"] as? String == "measurement" && sensor["unit_of_measurement"] as? String == "k\"W\nh")
        #expect((object["avty"] as? [[String: String]])?.map { $0["t"] } == [topics.status, topics.available])
        let code = topics.document(version: "1", unit: nil, isNumber: false)
        #expect(!code.contains("state_class") && !code.contains("unit_of_measurement"))
        let row = ValueRow(
            start: .zero, end: StreamTime(seconds: 1), text: "12,50 €", value: 12.5, unit: "€", score: 0.9)
        #expect(ValueTopics.payload(of: row, isNumber: true) == "12.5")
        #expect(ValueTopics.payload(of: row, isNumber: false) == "12,50 €")
        let none = ValueRow(start: .zero, end: StreamTime(seconds: 1), text: "----", score: 0.9)
        #expect(ValueTopics.payload(of: none, isNumber: true) == nil)
    }

    @Test func whatAnEarlierRunAnnouncedIsTakenBack() throws {
        let topics = NoticeTopics(node: "n", source: "s")
        let device = HomeAssistantDevice(topics, version: "1")
        let before = Array(device.document(patterns: ["EXIT", "DOOR"], gone: ["OLD"]).utf8)
        #expect(device.staleComponents(in: before, patterns: ["EXIT", "DOOR"]).isEmpty)
        let staleComponents = device.staleComponents(in: before, patterns: ["DOOR"])
        #expect(staleComponents.map(\.key) == ["EXIT_picture", "EXIT_present", "EXIT_text"])
        #expect(staleComponents.map(\.topic) == [topics.picture("EXIT"), topics.present("EXIT"), topics.text("EXIT")])
        let text = device.document(patterns: ["DOOR"], gone: ["EXIT"], staleComponents: staleComponents)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let components = try #require(object["cmps"] as? [String: [String: Any]])
        #expect(components["EXIT_text"] as? [String: String] == ["p": "sensor"] && components.count == 7)
        #expect(text.components(separatedBy: "EXIT_text").count == 2, "a key twice: \(text)")
        // The announcement has nothing that must be removed.
        #expect(device.staleComponents(in: Array(text.utf8), patterns: ["DOOR"]).isEmpty)
        // Anyone may publish there: topics of others are left alone.
        let hostile = #"{"cmps":{"x":{"p":"sensor","unique_id":"u","state_topic":"door/lock"},"y":7,"z":{"p":[]}}}"#
        #expect(device.staleComponents(in: Array(hostile.utf8), patterns: []).map(\.topic) == [nil])
        for document in ["", "[]", "{", #"{"cmps":[]}"#] {
            #expect(device.staleComponents(in: Array(document.utf8), patterns: []).isEmpty)
        }
    }

    @Test func statesFollowWhatIsInView() {
        let topics = NoticeTopics(node: "n", source: "s")
        var states = WatchStates(topics)
        #expect(states.watch(["EXIT"]) == [WatchStates.State(topics.present("EXIT"), "OFF")])
        #expect(states.watch(["EXIT"]).isEmpty)
        #expect(states.appeared(1, pattern: "EXIT", text: "EXIT").last?.payload == Array("ON".utf8))
        _ = states.appeared(2, pattern: "EXIT", text: "EXlT")
        // One of two is still there.
        #expect(
            !states.disappeared(1, pattern: "EXIT", text: "EXIT", picture: nil).contains {
                $0.topic.hasSuffix("present")
            })
        let over = states.disappeared(2, pattern: "EXIT", text: String(repeating: "x", count: 999), picture: [1, 2])
        #expect(over.map(\.topic) == [topics.picture("EXIT"), topics.text("EXIT"), topics.present("EXIT")])
        #expect(over[0].payload == [1, 2] && over[1].payload.count == 255 && over[2].payload == Array("OFF".utf8))
        #expect(states.forget(["EXIT"]).allSatisfy { $0.payload.isEmpty })
        // A pattern that is no longer searched for leaves nothing behind.
        let other = states.watch(["DOOR"])
        let gone = [topics.present("EXIT"), topics.text("EXIT"), topics.picture("EXIT")]
        #expect(other == gone.map { WatchStates.State($0, "") } + [WatchStates.State(topics.present("DOOR"), "OFF")])
        #expect(states.end() == [WatchStates.State(topics.present("DOOR"), "OFF")])
    }

    @Test func noticesAreJSONWithAnIDOfTheirOwn() throws {
        var event = JSONObject(type: "appeared")
        event.add("id", 3)
        event.add("line", "\"},{\u{1B}[31m\u{202E}")
        event.add("quad", json: "[[0,0]]")
        let job = JobName()
        let appeared = SightingNotice(.appeared, of: 3, in: job, event: event).notice(topic: "t")
        let over = SightingNotice.interruption(of: 3, in: job, appeared: event).notice()
        #expect(appeared.id != over.id && appeared.id.hasPrefix(job.text))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(appeared.body)) as? [String: Any])
        #expect(object["id"] as? String == appeared.id && object["sighting"] as? Int == 3)
        #expect(object["event_type"] as? String == "appeared" && object["line"] as? String == "\"},{\u{1B}[31m\u{202E}")
        #expect(!appeared.body.contains(0x1B))
        let end = try #require(try JSONSerialization.jsonObject(with: Data(over.body)) as? [String: Any])
        #expect(end["event_type"] as? String == "disappeared" && end["type"] as? String == "disappeared")
        #expect(end["interrupted"] as? Bool == true && end["end"] is NSNull && end["quad"] == nil)
        // The real notice has the ID that was reserved for it.
        #expect(SightingNotice(.disappeared, of: 3, in: job, event: event).id == over.id)
        #expect(JobName().text != job.text && job.text.count == 26)
        let picture = SightingNotice(.disappeared, of: 3, in: job, event: event)
            .notice(picture: SightingNotice.Picture(jpeg: [0xFF, 0xD8]))
        #expect(
            String(decoding: picture.body, as: UTF8.self).contains(#""picture":{"type":"image/jpeg","data":"/9g="}"#))
    }
}
