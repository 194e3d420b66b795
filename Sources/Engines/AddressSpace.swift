import Errors
import GStreamerMedia
import Glibc

/// Whether the memory that the program may ask for (`ulimit -v`) is enough to begin.
///
/// Libraries do not survive a limit on address space: GLib aborts, and GStreamer reports a plugin that could not be loaded as missing. The
/// needs are measured on recordings of 3840×2160 with two threads.
enum AddressSpace {
    /// In MiB: with Tesseract, and what the networks need in addition.
    private static let needed = 1200
    private static let neededByNetworks = 1000

    /// In MiB; nil if there is no limit (RLIM_INFINITY, which Swift does not import).
    private static var allowed: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
            return nil
        }
        return Int(clamping: limit.rlim_cur >> 20)
    }

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) if nothing can be read with so little.
    static func check() throws {
        guard let allowed else { return }
        // Each heap of the others' reserves 64 MiB (malloc(3)).
        MediaRuntime.shareHeaps()
        guard allowed < needed else { return }
        throw FramegrepError(.engineUnavailable, "Nothing can be read with " + Self.sentence(allowed, needed))
    }

    /// Why the networks cannot be loaded; nil if they can.
    static var problemOfNetworks: String? {
        let all = needed + neededByNetworks
        guard let allowed, allowed < all else { return nil }
        return "The networks cannot be loaded with " + sentence(allowed, all)
    }

    private static func sentence(_ allowed: Int, _ needed: Int) -> String {
        "\(allowed) MiB of address space (ulimit -v): \(needed) MiB are needed. Raise the limit with ulimit -v \(needed << 10)."
    }
}
