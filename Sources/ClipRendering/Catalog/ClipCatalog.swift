public import Errors
import TextSpotting

/// The project's own clips: together they cover how text appears, moves and looks.
public enum ClipCatalog {
    /// Every clip, each under a name of its own.
    public static let all: [ClipScene] = [
        staticCuts, pan300, pan600, zoom, rotate, scroll, typed, flicker, fade, textured, darkOnLight, blur, noise,
        terminal, bFrames, demo, appearing, covered,
    ]

    /// Clips of values that change in one place, which are measured by their own rules.
    public static let values: [ClipScene] = clocks + heldOutClocks + fastValues + meters + heldOutMeters

    /// The clip of this name.
    /// - Throws: `FramegrepError` (`badArgument`) naming the clips there are.
    public static func scene(named name: String) throws(FramegrepError) -> ClipScene {
        guard let scene = (all + values + secrets).first(where: { $0.name == name }) else {
            let names = (all + values + secrets).map(\.name).joined(separator: ", ")
            throw FramegrepError(.badArgument, "There is no clip named “\(name)”. The clips are: \(names).")
        }
        return scene
    }

    static let night = OverlayColor(hex: 0x14202B)
    static let ink = OverlayColor(hex: 0x1B1F24)
    static let paper = OverlayColor(hex: 0xF4F1E8)
}
