import Foundation
import TestSupport
import Testing

/// The three streams in odd states, names that are not UTF-8, and output of libraries.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StandardStreamsTests {
    private func shell(_ script: String, in folder: TemporaryFolder) async throws -> Framegrep.Outcome {
        let bash = try #require(Tool("bash"))
        let clip = try await ClipCache.shared.path(
            "short.mp4",
            KnownClip(
                width: 320, height: 180, frameCount: 25, words: [KnownWord(text: "GATE", x: 40, y: 50, frames: 0..<25)])
        )
        return await (try Running(bash.path, ["-c", script, Framegrep.path, clip], folder: folder.path)).end()
    }

    private let search = "\"$0\" find --engine tesseract GATE"

    @Test func closedStreamsLeadNowhere() async throws {
        let folder = try TemporaryFolder()
        let closed = try await shell("\(search) \"$1\" >&-", in: folder)
        #expect(closed.status == 2 && closed.stderr.contains("standard output"), "\(closed)")
        #expect(try await shell("\(search) \"$1\" 2>&-", in: folder).status == 0)
        #expect(try await shell("\(search) \"$1\" <&-", in: folder).status == 0)
        let all = try await shell("\(search) \"$1\" -o results --boxes boxes >&- 2>&- <&-", in: folder)
        #expect(all.status == 0)
        #expect(try String(contentsOfFile: folder.file("results"), encoding: .utf8).split(separator: "\n").count == 1)
        #expect(try String(contentsOfFile: folder.file("boxes"), encoding: .utf8).hasPrefix("{\"type\":\"box\""))
    }

    @Test func namesThatAreNoUTF8() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await shell(
            "name=$'caf\\xe9.mp4'; cp \"$1\" \"$name\"; \(search) \"$name\" -o out --format jsonl; "
                + "echo $?; \(search) caf*.mp4; \(search) $'no\\xe9.mp4'; cat out", in: folder)
        #expect(outcome.lines.first == "0" && outcome.lines.count == 3, "\(outcome)")
        #expect(outcome.lines[1].hasPrefix("caf\\xE9.mp4:"))
        #expect(outcome.objects.last?["source"] as? String == "caf\\xE9.mp4")
        #expect(outcome.stderr.contains("no\\xE9.mp4"))
    }

    @Test(.enabled(if: Tool.exists("cc"))) func whatLibrariesPrintIsNoResult() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(
            """
            #include <pthread.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/stat.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            static volatile int spoke = 0;
            static struct stat before;
            static void *talk(void *nothing) {
                /* Once the program has sent number 1 elsewhere. */
                struct stat now;
                do { usleep(1000); fstat(1, &now); } while (now.st_ino == before.st_ino);
                printf("noise"); fflush(stdout);
                fprintf(stderr, "noise");
                if (getenv("DIES")) abort();
                spoke = 1;
                return nothing;
            }
            /* The program ends so, and not before this thread has spoken, however busy the machine is. */
            void _exit(int status) { while (!spoke) usleep(1000); for (;;) syscall(SYS_exit_group, status); }
            __attribute__((constructor)) static void begin(void) {
                pthread_t thread;
                fstat(1, &before);
                pthread_create(&thread, NULL, talk, NULL);
            }
            """, to: "noise.c")
        let build = "cc -shared -fPIC -pthread -o noise.so noise.c && "
        let run = "LD_PRELOAD=$PWD/noise.so \(search) \"$1\""
        let quiet = try await shell(build + run, in: folder)
        #expect(quiet.status == 0 && quiet.lines.count == 1 && quiet.stderr == "", "\(quiet)")
        #expect(!quiet.stdout.contains("noise"))
        let loud = try await shell("\(run) -v", in: folder)
        #expect(loud.status == 0 && !loud.stdout.contains("noise") && loud.stderr.contains("noise"), "\(loud)")
        let dying = try await shell("export DIES=1; \(run)", in: folder)
        #expect(dying.status != 0 && dying.stderr.contains("noise"), "\(dying)")
    }

    /// As with grep's output: the source never ends, so a program that does not check while it searches continues
    /// forever.
    @Test func nobodyWhoReadsOnEndsTheSearch() async throws {
        let folder = try TemporaryFolder()
        var clip = KnownClip.cuts
        clip.encoding = "x264enc bframes=0 speed-preset=veryfast ! mpegtsmux"
        let path = try await ClipCache.shared.path("pipe.ts", clip)
        let endless =
            "while cat \"$1\" 2>/dev/null; do :; done | \"$0\" find --engine tesseract --language eng BUBBLES -"
        let bash = try #require(Tool("bash"))
        for script in ["\(endless) | head -n 1", "\(endless) -q --boxes - | head -n 1"] {
            let outcome = await (try Running(bash.path, ["-c", script, Framegrep.path, path], folder: folder.path))
                .end()
            #expect(!outcome.timedOut && outcome.lines.count == 1 && outcome.stderr.isEmpty, "\(outcome)")
        }
        let full = await
            (try Running(bash.path, ["-c", "\(endless) > /dev/full", Framegrep.path, path], folder: folder.path)).end()
        #expect(!full.timedOut && full.status == 2 && full.stderr.contains("No space left"), "\(full)")
    }

    @Test func theSignalsThatAskDoNotKill() async throws {
        let live = try Running(
            Framegrep.path,
            ["live", "GATE", try await standingClip(), "--headless", "--events", "jsonl", "--engine", "tesseract"])
        #expect(await live.wait { live.stdout.contains("\"running\"") })
        live.send(SIGUSR1)
        live.send(SIGUSR2)
        #expect(await live.end().status == 0)
    }
}
