import Displays
import Errors
import Testing
import TextSpotting

@testable import GStreamerMedia

@Suite struct MessageQueueTests {
    private func drained(_ queue: MessageQueue) -> [BusMessage] {
        var queue = queue
        var all: [BusMessage] = []
        while case .message(let message) = queue.pop() { all.append(message) }
        return all
    }

    private func chatter(_ number: Int) -> BusMessage { .element(name: "level0", structure: "\(number)") }

    @Test func ofTheMouseOnlyTheLastPlaceWaits() {
        var queue = MessageQueue()
        // A window behind an overlay reports each move like this: in its own pixels, then in those of the frame.
        for place in 0..<1000 {
            queue.push(.navigation(.mouseMove(x: Double(place), y: 0)))
            queue.push(.pointer(.mouseMove(x: Double(place) / 2, y: 0)))
        }
        #expect(
            drained(queue) == [.navigation(.mouseMove(x: 999, y: 0)), .pointer(.mouseMove(x: 499.5, y: 0))])
        #expect(queue.lost == 0)
    }

    @Test func keysAndButtonsOutlastAMovingMouseAndChatter() {
        var queue = MessageQueue()
        let key = BusMessage.navigation(.keyPress(KeyPress(named: "q")))
        let button = BusMessage.pointer(.mouseButtonPress(button: 1, x: 3, y: 4))
        queue.push(key)
        for place in 0..<1000 {
            queue.push(.navigation(.mouseMove(x: Double(place), y: 0)))
            queue.push(.pointer(.mouseMove(x: Double(place), y: 0)))
            queue.push(chatter(place))
            if place == 500 { queue.push(button) }
        }
        let told = drained(queue)
        #expect(told.first == key)
        #expect(told.contains(button))
        #expect(told.count <= 2 + 2 + MessageQueue.chatterLimit)
    }

    @Test func chatterIsBoundedAndTheOldestGoes() {
        var queue = MessageQueue()
        for number in 0..<(MessageQueue.chatterLimit + 10) { queue.push(chatter(number)) }
        #expect(drained(queue).first == chatter(10))
        #expect(drained(queue).count == MessageQueue.chatterLimit)
        #expect(queue.lost == 10)
    }

    @Test func keysAreBoundedByThemselves() {
        var queue = MessageQueue()
        queue.push(chatter(0))
        for number in 0..<(MessageQueue.inputLimit + 5) {
            queue.push(.navigation(.keyPress(KeyPress(named: "\(number)"))))
        }
        let told = drained(queue)
        #expect(told.count == 1 + MessageQueue.inputLimit)
        #expect(told[0] == chatter(0) && told[1] == .navigation(.keyPress(KeyPress(named: "5"))))
        #expect(queue.lost == 5)
    }

    @Test func theFirstErrorsAndTheEndAreKept() {
        var queue = MessageQueue()
        for number in 0..<(MessageQueue.lastingLimit + 3) {
            let error = FramegrepError(.pipelineFailed, "Error \(number).")
            queue.push(.error(MediaReport(error: error, element: "", debug: "")))
        }
        queue.push(.endOfStream)
        queue.push(.endOfStream)
        let told = drained(queue)
        #expect(told.count == MessageQueue.lastingLimit + 1 && told.last == .endOfStream)
        guard case .error(let first) = told.first else {
            Issue.record("the first message is no error")
            return
        }
        #expect(first.error.message == "Error 0." && queue.lost == 3)
    }

    @Test func afterTheCloseWhatWaitsIsStillTaken() {
        var queue = MessageQueue()
        queue.push(.latency)
        queue.close()
        queue.push(.asyncDone)
        #expect(queue.pop() == .message(.latency) && queue.pop() == .finished)
    }
}
