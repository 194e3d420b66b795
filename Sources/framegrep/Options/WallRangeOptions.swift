import ArgumentParser
import Foundation

/// Which time on the clock is searched.
struct WallRangeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Search what was recorded since then: 2026-11-20, 2026-11-20T14:05, 14:05 (today), yesterday, '2h ago', 3d.",
            valueName: "when"))
    var since: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Search what was recorded before then.", valueName: "when"))
    var until: String?

    func validate() throws { _ = try range(now: Date()) }

    /// - Throws: `ValidationError` if it is not a time.
    func range(now: Date) throws -> WallRange {
        let range = WallRange(since: try date(since, "--since", now), until: try date(until, "--until", now))
        if let since = range.since, let until = range.until, since >= until {
            throw ValidationError(
                "--since (\(WallClock.text(since))) is not before --until (\(WallClock.text(until))): nothing is left.")
        }
        return range
    }

    private func date(_ text: String?, _ option: String, _ now: Date) throws -> Date? {
        guard let text else { return nil }
        guard let moment = WallMoment(text, now: now) else {
            throw ValidationError(
                "\(option): “\(text)” is no time on the clock; write 2026-11-20, 2026-11-20T14:05, 14:05, yesterday, '2h ago' or 3d."
            )
        }
        return moment.date
    }
}
