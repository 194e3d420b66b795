import CGStreamer
import CGstFramegrep
import GStreamerMedia
import TextSpotting

// The functions that the element's C half calls (swiftside.h). Each gets the job from its pointer and calls it; none
// throws.

@_cdecl("fge_job_new")
func makeJob(_ element: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Job(ElementHandle(pointer: element))).toOpaque()
}

@_cdecl("fge_job_free")
func freeJob(_ job: UnsafeMutableRawPointer) { Unmanaged<Job>.fromOpaque(job).release() }

private func job(_ pointer: UnsafeMutableRawPointer) -> Job { Unmanaged<Job>.fromOpaque(pointer).takeUnretainedValue() }

// MARK: Properties

@_cdecl("fge_job_set_text")
func setText(_ pointer: UnsafeMutableRawPointer, _ property: guint, _ text: UnsafePointer<CChar>?) {
    let property = FgeProperty(rawValue: property)
    job(pointer).set(property) { $0.set(property, to: text.map { String(cString: $0) }) }
}

@_cdecl("fge_job_set_number")
func setNumber(_ pointer: UnsafeMutableRawPointer, _ property: guint, _ number: Double) {
    let property = FgeProperty(rawValue: property)
    job(pointer).set(property) { $0.set(property, to: number) }
}

@_cdecl("fge_job_get_text")
func getText(_ pointer: UnsafeMutableRawPointer, _ property: guint) -> UnsafeMutablePointer<CChar>? {
    job(pointer).settings.text(of: FgeProperty(rawValue: property)).map { g_strdup($0) } ?? nil
}

@_cdecl("fge_job_get_number")
func getNumber(_ pointer: UnsafeMutableRawPointer?, _ property: guint) -> Double {
    (pointer.map { job($0).settings } ?? ElementSettings()).number(of: FgeProperty(rawValue: property))
}

@_cdecl("fge_job_set_time")
func setTime(_ pointer: UnsafeMutableRawPointer, _ property: guint, _ nanoseconds: guint64) {
    let property = FgeProperty(rawValue: property)
    job(pointer).set(property) { $0.set(property, to: StreamTime(nanoseconds: Int64(clamping: nanoseconds))) }
}

@_cdecl("fge_job_get_time")
func getTime(_ pointer: UnsafeMutableRawPointer, _ property: guint) -> guint64 {
    guint64(clamping: job(pointer).settings.time(of: FgeProperty(rawValue: property)).nanoseconds)
}

@_cdecl("fge_job_stats")
func getStatistics(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(job(pointer).statistics.structure)
}

// MARK: Life

@_cdecl("fge_job_start")
func startJob(_ pointer: UnsafeMutableRawPointer) -> gboolean { job(pointer).start() ? 1 : 0 }

@_cdecl("fge_job_stop")
func stopJob(_ pointer: UnsafeMutableRawPointer) { job(pointer).stop() }

@_cdecl("fge_job_interrupt")
func interruptJob(_ pointer: UnsafeMutableRawPointer) { job(pointer).interrupt() }

@_cdecl("fge_job_flush")
func flushJob(_ pointer: UnsafeMutableRawPointer) { job(pointer).flush() }

// MARK: The stream

@_cdecl("fge_job_put")
func putFrame(
    _ pointer: UnsafeMutableRawPointer, _ buffer: UnsafeMutableRawPointer, _ caps: UnsafeMutableRawPointer,
    _ segment: UnsafeRawPointer
) -> gint {
    job(pointer).put(PassingFrame(takingOwnershipOf: buffer, caps: caps), in: segment).rawValue
}

@_cdecl("fge_job_take")
func takeFrame(_ pointer: UnsafeMutableRawPointer, _ all: gboolean) -> UnsafeMutableRawPointer? {
    job(pointer).take(all: all != 0)
}

@_cdecl("fge_job_pass_gap")
func passGap(_ pointer: UnsafeMutableRawPointer, _ end: GstClockTime) -> gboolean {
    // GST_CLOCK_TIME_NONE: all bits are set.
    let end = end == .max ? nil : StreamTime(nanoseconds: Int64(clamping: end))
    return job(pointer).pass(gapUntil: end) ? 1 : 0
}

@_cdecl("fge_job_holds")
func holdsFrames(_ pointer: UnsafeMutableRawPointer) -> gboolean { job(pointer).holdsFrames ? 1 : 0 }

@_cdecl("fge_job_finish")
func finishJob(_ pointer: UnsafeMutableRawPointer) { job(pointer).finish() }

@_cdecl("fge_job_latency")
func latency(_ pointer: UnsafeMutableRawPointer) -> GstClockTime { GstClockTime(job(pointer).delay.nanoseconds) }

@_cdecl("fge_job_late")
func frameWasLate(_ pointer: UnsafeMutableRawPointer, _ jitter: GstClockTimeDiff) -> gboolean {
    job(pointer).frameWasShown(late: Int64(jitter)) ? 1 : 0
}
