import CGStreamer
import Glibc

/// Settings of glibc's allocator, for programs that run for days.
///
/// It keeps what was freed for the next allocation, in up to eight heaps a core, which threads choose as they begin
/// (malloc(3), `M_ARENA_MAX`). Each pipeline has threads of its own, so a program that opens a source again and again
/// comes to hold the memory of many pipelines of which only one is left: some 3 MiB more for each opening of a small RTSP
/// stream, until all heaps are in use.
extension MediaRuntime {
    /// Has all threads share two heaps from now on, before the first source is opened. A program that opens sources again and
    /// again grows no more, and a single search holds up to a tenth less; what the user has set with `MALLOC_ARENA_MAX` or
    /// `GLIBC_TUNABLES` stays.
    public static func shareHeaps() {
        guard getenv("MALLOC_ARENA_MAX") == nil, getenv("GLIBC_TUNABLES") == nil else { return }
        fgst_limit_arenas(2)
    }

    /// Has blocks of 128 KiB and more, pictures that is, go back to the system as soon as they are freed, from now on.
    ///
    /// glibc begins so, but ceases with the first large block that is freed, and then cuts pictures from its heaps; small
    /// blocks that live on lie between them, so the heaps stay as large as they ever were. A picture costs its pages anew
    /// each time instead, so this is for programs that run for days. What the user has set with
    /// `MALLOC_MMAP_THRESHOLD_` or `GLIBC_TUNABLES` stays.
    public static func returnPicturesAtOnce() {
        guard getenv("MALLOC_MMAP_THRESHOLD_") == nil, getenv("GLIBC_TUNABLES") == nil else { return }
        fgst_map_large_blocks(128 << 10)
    }

    /// Gives memory that was freed back to the system (malloc_trim(3)). Takes some milliseconds; may be called from any
    /// thread.
    public static func returnFreeMemory() { fgst_return_free_memory() }
}
