extension DebugLog {
    /// Writes a pipeline's message to the debug log, at a level that fits its importance.
    static func tell(of message: BusMessage, by pipeline: String) {
        switch message {
        case .error(let report): error("\(pipeline), \(report.element): \(report.error) \(report.debug)")
        case .warning(let report): warning("\(pipeline), \(report.element): \(report.error) \(report.debug)")
        case .stateChanged(let old, let new): info("\(pipeline) went from \(old) to \(new)")
        case .endOfStream: info("\(pipeline) came to its end")
        case .missingPlugin(let description, _): info("\(pipeline) lacks a \(description)")
        case .buffering(let percent): debug("\(pipeline) has filled \(percent) % of its buffers")
        case .asyncDone, .latency, .navigation, .pointer, .windowClosed, .element, .orientation:
            log("\(pipeline): \(message)")
        }
    }
}

extension BusMessage {
    /// A word for the moment, where a graph of the pipeline is worth drawing at it.
    var momentOfGraph: String? {
        switch self {
        case .error: "error"
        case .stateChanged(let old, let new): "\(old)-\(new)"
        default: nil
        }
    }
}
