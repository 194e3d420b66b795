import Errors
import TestSupport
import Testing

@testable import framegrep

/// The servers to which an archive's user name and password are sent.
struct StorageCredentialsTests {
    private let login = ["FRAMEGREP_HTTP_USER": "reader", "FRAMEGREP_HTTP_PASSWORD": "s/3@"]
    private let own = "http://store.example/a.mp4"
    private let other = "https://other.example/b.mp4"

    @Test func aPasswordIsForTheOnlyServer() throws {
        #expect(try StorageCredentials.address(own, environment: login) == "http://reader:s%2F3%40@store.example/a.mp4")
        #expect(try StorageCredentials.address("/a.mp4", environment: login) == "/a.mp4")
        try StorageCredentials.checkServers(
            of: [own, "HTTPS://Store.example/c.mp4", "/d.mp4", "s3://bucket/e.mp4"], environment: login)
        try StorageCredentials.checkServers(of: [own, other], environment: [:])
        for several in [
            [own, other], [own, "http://store.example:81/a.mp4"], [own, "http://store.example@x.example/"],
        ] {
            let error = #expect(throws: FramegrepError.self) {
                try StorageCredentials.checkServers(of: several, environment: login)
            }
            #expect(error?.message.contains("FRAMEGREP_HTTP_HOST") == true && error?.message.contains("s/3@") == false)
        }
    }

    @Test func ofSeveralServersItIsForTheOneThatIsNamed() throws {
        let known = login.merging(["FRAMEGREP_HTTP_HOST": "Store.example"]) { $1 }
        try StorageCredentials.checkServers(of: [own, other], environment: known)
        #expect(try StorageCredentials.address(own, environment: known) == "http://reader:s%2F3%40@store.example/a.mp4")
        for input in [
            other, "http://store.example:81/a.mp4", "http://store.example@x.example/a.mp4",
            "http://store.example.x.example/a.mp4", "http://x.example/store.example/a.mp4",
        ] {
            #expect(try StorageCredentials.address(input, environment: known) == input)
        }
    }

    @Test func aPlanOfSeveralServersIsRefused() async throws {
        let folder = try TemporaryFolder()
        let lines = [own, other].map { "{\"input\":\"\($0)\"}\n" }
        let plan = try folder.write(lines.joined(), to: "units.jsonl")
        let outcome = try await Framegrep.run(["index", "run", plan, "--out", folder.file("out")], environment: login)
        #expect(outcome.status == 2 && outcome.stderr.contains("FRAMEGREP_HTTP_HOST"), "\(outcome)")
    }
}
