import Engines
import Spotter

/// The program around a job, if it runs several: shared parts, and the job's own among them.
struct LiveHost: Sendable {
    /// The name of the job in messages.
    let name: String
    /// All jobs' results go there.
    let results: ResultOutput
    /// Networks are in memory once, however many jobs read with them.
    let engines: EngineCache
    /// Files that the program's other jobs read, which must not be overwritten.
    let plan: OutputPlan?
    /// Receives the program's commands to the job.
    let commands: LiveCommands
    /// Is told all that happens in the job.
    let sink: any EventSink

    /// The prefix of messages on standard error.
    static func speaker(_ host: LiveHost?) -> String { host.map { "framegrep: \($0.name)" } ?? "framegrep" }
}
