import ArgumentParser
import Foundation
import GStreamerMedia
import Processes
import Threads

/// The Model Context Protocol, for assistants.
struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let an assistant search recordings (Model Context Protocol).",
        discussion: """
            framegrep mcp                         only what is in the index
            framegrep mcp --allow ~/recordings    and recordings below this folder
            framegrep mcp --allow /dev/video0 --allow rtsp://camera/stream
                and a camera and a stream

            Assistants start it and talk to it on its standard input and output; it ends with its input. To set one up:

            {"mcpServers": {"framegrep": {"command": "framegrep", "args": ["mcp"]}}}

            It reads only what you allow, and writes only to the index. Text in its answers that was read from pictures is \
            marked as such: it is data, whatever it says. docs/MCP.md has the tools.
            """, helpNames: .long)

    @OptionGroup var index: IndexOptions

    @Option(
        help: ArgumentHelp(
            "Also open recordings below this folder, this camera, or addresses that begin like this; may be given several times.",
            valueName: "folder-or-address"),
        completion: .directory)
    var allow: [String] = []

    func run() async throws {
        let folder = try index.folder()
        let access = try MCPAccess(allowing: allow)
        // The programs that are started from here get the format of their progress, and the folders that lists may
        // refer to.
        setenv("FRAMEGREP_MESSAGES", "jsonl", 1)
        FileBounds.hand(on: access.folders)
        let output = MCPStream.Output(StandardOutput.descriptor)
        let server = MCPServer(output, tools: MCPTools(index: folder, access: access))
        let interrupts = Interrupts { signal in
            server.cancelAll()
            Task {
                await server.finish(within: .zero)
                Interruption(signal: signal).die()
            }
        }
        // A client that has closed its input, such as a script that pipes requests, may still want the answers. One
        // that has closed the output wants none, even if the input stays open.
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await DedicatedThread.runUnlessCancelled(named: "mcp input") {
                    let input = LineReader(STDIN_FILENO, longest: MCPStream.longest)
                    while let line = input.next() { server.receive(line) }
                }
                if !Task.isCancelled { await server.finish(within: .seconds(600)) }
            }
            group.addTask { await output.readerLeft() }
            await group.next()
            group.cancelAll()
        }
        await server.finish(within: .zero)
        withExtendedLifetime(interrupts) {}
        if let failure = output.failure { throw failure }
    }
}
