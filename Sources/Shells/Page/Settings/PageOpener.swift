public import Errors
import Foundation
import Processes
import Threads

/// Opens the page in the user's browser.
///
/// The address contains a key, and every user of the machine can see the arguments of programs. So the browser opens a
/// file that redirects to it, which only its owner can read.
public enum PageOpener {
    /// - Throws: ``FramegrepError`` (`outputFailed`) if there is no browser to open.
    public static func open(_ address: String) throws(FramegrepError) {
        let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? NSTemporaryDirectory()
        let path = folder + "/framegrep-\(UUID().uuidString).html"
        let page = """
            <!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(address)"><title>framegrep</title>

            """
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        let isWritten = PipeBytes.write(Array(page.utf8), to: descriptor)
        let reason = errno
        close(descriptor)
        guard isWritten else {
            // A full disk leaves an empty file behind.
            unlink(path)
            throw failure(reason)
        }
        let browser: ChildProcess
        do { browser = try ChildProcess("xdg-open", ["xdg-open", path]) } catch {
            unlink(path)
            throw failure(error.reason)
        }
        // The key works once, so the file is useless once the page is open; remove it anyway.
        do {
            try DedicatedThread.start(named: "browser's file") {
                browser.wait()
                BlockingSleep.sleep(.seconds(30))
                unlink(path)
            }
        } catch {
            unlink(path)
            throw FramegrepError(.outputFailed, "No browser could be opened: \(error) Open the address above.")
        }
    }

    private static func failure(_ reason: Int32) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "No browser could be opened (xdg-open: \(String(cString: strerror(reason)))); open the address above.")
    }
}
