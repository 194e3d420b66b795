import Errors
import Screens
import Spotter
import TextSpotting

/// One's own screen as a source of `live` and `index`: `screen:`, or `screen:2` for the second monitor.
struct ScreenSource {
    private static let prefix = "screen:"
    /// So often the screen is looked at; what did not change meanwhile costs next to nothing.
    private static let rate = 10

    /// The monitor; nil for the whole desktop.
    private let monitor: Int?

    /// Nil for a name that means something else.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for a screen that cannot be named like this, or `noDisplay` where there is none.
    init?(_ name: String) throws(FramegrepError) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        let rest = name.dropFirst(Self.prefix.count)
        monitor = Int(rest)
        guard rest.isEmpty || monitor.map({ $0 > 0 }) == true else {
            throw FramegrepError(
                .badArgument,
                "'\(name)' names no screen: 'screen:' is the whole desktop, and 'screen:2' the second monitor. 'framegrep screen --window' searches one window."
            )
        }
        try Desktop.check()
        if let monitor { _ = try Desktop.place(ofMonitor: monitor) }
    }

    /// The source; its pipeline ends with the program.
    var source: LiveSource {
        LiveSource(policy: .none) { [monitor] in
            var part = ""
            if let monitor {
                let place = try Desktop.place(ofMonitor: monitor)
                part =
                    " startx=\(Int(place.minX)) starty=\(Int(place.minY)) endx=\(Int(place.maxX) - 1) endy=\(Int(place.maxY) - 1)"
            }
            return LiveSource.Opening(
                description: SourceDescription.liveScreen(
                    "ximagesrc use-damage=true show-pointer=false\(part) ! video/x-raw,framerate=\(Self.rate)/1"),
                nature: "the screen")
        }
    }
}
