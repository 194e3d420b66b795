import CGStreamer

extension Pipeline {
    /// Its name, such as `pipeline0`, which tells several apart.
    var name: String { elementName(element.pointer) }

    /// Tells of each format in which frames come out.
    func logFormats() {
        guard DebugLog.isOn, hasElement(named: Self.framesName) else { return }
        try? watchFormat(comingToElementNamed: Self.framesName) { [name] format in
            DebugLog.info("\(name) has frames of \(format)")
        }
    }
}
