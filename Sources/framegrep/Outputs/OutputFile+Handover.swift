extension OutputFile {
    /// A file that is being written, as a process that goes on with it must know it.
    struct Handover: Codable, Sendable {
        let name: String
        let place: String
        let before: Before
        /// Where the bytes go.
        let written: String
        /// The descriptor through which they go there; nil if a library has its own way.
        let descriptor: Int32?
    }

    /// Nil as long as nothing is written.
    func handover(descriptor: Int32?) -> Handover? {
        written.map { Handover(name: name, place: place, before: before, written: $0, descriptor: descriptor) }
    }
}
