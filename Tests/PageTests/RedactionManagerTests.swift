import Foundation
import Spotter
import TestSupport
import Testing

@testable import Page

/// Permissions and order of redactions, with programs that stand in for `framegrep redact`.
@Suite(.timeLimit(.minutes(1))) struct RedactionManagerTests {
    @Test func whatCannotBeginHoldsUpNobody() throws {
        let manager = RedactionManager(program: "/nonexistent/framegrep")
        let question = try SearchQuestion(QueryItems("q=EXIT"))
        for session in ["first", "second"] {
            let problem = #expect(throws: PageProblem.self) {
                _ = try manager.begin(question, in: "/nonexistent.mkv", isStill: false, session: session)
            }
            #expect(problem?.status == 503)
        }
    }

    @Test func ofManyRequestsOneHides() async throws {
        let folder = try TemporaryFolder()
        let program = try folder.write(
            """
            #!/bin/bash
            cd '\(folder.path)'
            echo "$@" >> words
            job=$(cat)
            case $job in
            *planHiding*) echo '{"id":1}' > "$(sed -E 's/.*"into":"([^"]*)".*/\\1/; s#\\\\/#/#g' <<< "$job")" ;;
            *) until [[ -e go ]]; do sleep 0.02; done ;;
            esac

            """, to: "redact")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let manager = RedactionManager(program: program)
        let question = try SearchQuestion(QueryItems("q=EXIT"))
        let id = try manager.begin(question, in: "/nonexistent.mkv", isStill: false, session: "own").id
        func stage(isNot busy: RedactionManager.Stage) async throws -> RedactionManager.Stage {
            while true {
                let stage = try manager.redaction(id, session: "own").stage
                if stage != busy { return stage }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(try await stage(isNot: .searching) == .planned)
        let begun = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (try? manager.hide(id, without: [], session: "own")) == nil ? 0 : 1 }
            }
            return await group.reduce(0, +)
        }
        #expect(begun == 1)
        // The redaction of another browser is left alone.
        #expect(throws: PageProblem.self) {
            _ = try manager.begin(question, in: "/nonexistent.mkv", isStill: false, session: "other")
        }
        _ = try folder.write("", to: "go")
        #expect(try await stage(isNot: .hiding) == .ready)
        manager.end()
        // Every user of the machine can see these.
        let words = try String(contentsOfFile: folder.file("words"), encoding: .utf8)
        #expect(!words.contains("EXIT") && !words.contains("nonexistent") && words.contains(JobPlan.option), "\(words)")
    }
}
