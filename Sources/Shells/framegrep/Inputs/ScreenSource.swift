import Errors
import Foundation
import ScreenSearch
import Screens
import Spotter
import TextSpotting

/// The user's own screen as a source of `live` and `index`: `screen:`, or `screen:2` for the second monitor;
/// `screen:window` for a window that the user chooses if the desktop asks.
struct ScreenSource {
    private static let prefix = "screen:"
    /// The number of times per second that the screen is examined; parts that did not change cost almost nothing.
    private static let rate = 10

    /// The source; its pipeline ends with the program.
    let source: LiveSource

    static func isMeant(by name: String) -> Bool { name.hasPrefix(prefix) }

    /// Returns nil for a name that means something else.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for a screen that cannot be named like this, or `noDisplay` if
    ///   there is none.
    init?(_ name: String) throws(FramegrepError) {
        guard Self.isMeant(by: name) else { return nil }
        let rest = name.dropFirst(Self.prefix.count)
        let monitor = Int(rest)
        guard rest.isEmpty || rest == "window" || monitor.map({ $0 > 0 }) == true else {
            throw FramegrepError(
                .badArgument,
                "'\(name)' is not a screen: 'screen:' is the whole desktop, and 'screen:2' the second monitor. 'framegrep screen --window' searches one window."
            )
        }
        switch (try Desktop.way(), monitor) {
        case (.portal, let monitor):
            source = Self.shared(rest == "window" ? .window("") : monitor.map { .monitor($0) } ?? .all).source
        case (.server, _) where rest == "window":
            throw FramegrepError(
                .badArgument,
                "'\(name)' is for desktops that ask what may be seen; on this one 'framegrep screen --window' searches a window."
            )
        case (.server, let monitor):
            if let monitor { _ = try Desktop.place(ofMonitor: monitor) }
            source = Self.source(ofMonitor: monitor)
        }
    }

    static func shared(_ part: DesktopPart) -> SharedScreen {
        SharedScreen(part, answers: SharingAnswers(environment: ProcessInfo.processInfo.environment)) {
            StandardError.line("framegrep: \($0)", as: .info)
        }
    }

    /// Returns the screen of an X server as a source.
    private static func source(ofMonitor monitor: Int?) -> LiveSource {
        LiveSource(policy: .none) {
            var part = ""
            if let monitor {
                let place = try Desktop.place(ofMonitor: monitor)
                part =
                    " startx=\(Int(place.minX)) starty=\(Int(place.minY)) endx=\(Int(place.maxX) - 1) endy=\(Int(place.maxY) - 1)"
            }
            return LiveSource.Opening(
                description: SourceDescription.liveScreen(
                    "ximagesrc use-damage=true show-pointer=false\(part) ! video/x-raw,framerate=\(rate)/1"),
                nature: "the screen")
        }
    }
}
