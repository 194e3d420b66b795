import ArgumentParser

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the cameras: path, name, and why one cannot be used.")

    func run() throws {
        let cameras = Cameras.all()
        guard !cameras.isEmpty else {
            StandardError.line("framegrep: there is no camera here (no /dev/video*).")
            throw ExitStatus.notFound
        }
        for camera in cameras {
            print(Visible.text("\(camera.path)\t\(camera.name)\t\(camera.problem ?? "ready")"))
        }
    }
}
