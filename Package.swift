// swift-tools-version: 6.1
// A target exists only where its imports differ; docs/ARCHITECTURE.md has the graph. Imports only point down.
import PackageDescription

/// `scripts/test` asks for warnings as errors with the compiler whose warnings are known (FRAMEGREP_STRICT=1, docs/ENVIRONMENT.md).
///
/// Not on the command line (-Xswiftc), which Swift 6.4 hands to the packages we depend on too, and not by
/// `.treatAllWarnings(as: .error)`, which Swift 6.1 does not know. Nobody who uses these libraries gets the flag.
let isStrict = Context.environment["FRAMEGREP_STRICT"] == "1"
let strictness: [SwiftSetting] =
    isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : []
let cStrictness: [CSetting] = isStrict ? [.unsafeFlags(["-Wall", "-Werror"])] : []
let cxxStrictness: [CXXSetting] = isStrict ? [.unsafeFlags(["-Wall", "-Werror"])] : []

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + strictness

/// A target of ours: every one is compiled with the same language settings.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

let package = Package(
    name: "framegrep",
    products: [
        .executable(name: "framegrep", targets: ["framegrep"]),
        .library(name: "TextSpotting", targets: ["TextSpotting"]),
        .library(name: "TextMatching", targets: ["TextMatching"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        // C: module maps and headers of a few lines.
        .systemLibrary(name: "CGStreamer", pkgConfig: "gstreamer-app-1.0"),
        .systemLibrary(name: "CTesseract", pkgConfig: "tesseract"),
        .systemLibrary(name: "CCairo", pkgConfig: "pangocairo"),
        .systemLibrary(name: "CVideo4Linux"),
        .systemLibrary(name: "CX11", pkgConfig: "xkbcommon"),
        .target(name: "COpenVINO", cSettings: cStrictness),
        .target(
            name: "CVision",
            cxxSettings: [.unsafeFlags(["-isystem", "/usr/include/opencv4"])] + cxxStrictness,
            linkerSettings: [
                .linkedLibrary("opencv_core"), .linkedLibrary("opencv_imgproc"),
            ]),

        // The core: values and algorithms, no C. What all of them throw; what makes threads; text in, matches out; and
        // what text does in pictures.
        module("Errors", []),
        module("Threads", [collections]),
        module("TextMatching", ["Errors"]),
        module("TextSpotting", ["Errors", "TextMatching"]),

        // Each wraps one library for the core's protocols and values.
        module("Displays", ["CX11"]),
        module("GStreamerMedia", ["CGStreamer", "Displays", "Errors", "Threads", "TextSpotting"]),
        module("Cameras", ["CVideo4Linux", "Errors", "TextSpotting"]),
        module("TesseractOCR", ["CTesseract", "Errors", "Threads", "TextMatching", "TextSpotting"]),
        module("Vision", ["CVision", "Errors", "TextSpotting"]),
        module("NeuralOCR", ["COpenVINO", "Vision", "Errors", "Threads", "TextMatching", "TextSpotting"]),
        module("OverlayDrawing", ["CCairo", "Errors", "TextSpotting"]),

        // The jobs join them; the shell is what a person types.
        module(
            "Spotter",
            [
                "Cameras", "Displays", "GStreamerMedia", "OverlayDrawing", "Errors", "Threads", "TextMatching",
                "TextSpotting",
            ]),
        .executableTarget(
            name: "framegrep",
            dependencies: [
                "Spotter", "Cameras", "Displays", "TesseractOCR", "NeuralOCR", "GStreamerMedia", "Errors", "Threads",
                "TextMatching", "TextSpotting", argumentParser,
            ],
            swiftSettings: settings),

        // Clips whose words, places and times are known, for the tests, the demo and the benchmarks.
        module("ClipRendering", ["GStreamerMedia", "OverlayDrawing", "Errors", "Threads", "TextSpotting"]),
        .executableTarget(
            name: "render-clips",
            dependencies: ["ClipRendering", "OverlayDrawing", "Errors", "TextSpotting", argumentParser],
            swiftSettings: settings),

        // The least that uses the libraries; docs and CONTRIBUTING.md point at it.
        .executableTarget(
            name: "hello-framegrep",
            dependencies: [
                "Spotter", "NeuralOCR", "TesseractOCR", "GStreamerMedia", "Errors", "TextMatching", "TextSpotting",
            ],
            path: "Examples/hello-framegrep", swiftSettings: settings),

        .executableTarget(
            name: "measure-matching", dependencies: ["TextMatching"], swiftSettings: settings),
        // What the matcher's numbers come from: rendered words, read by the engines.
        .executableTarget(
            name: "measure-words",
            dependencies: [
                "OverlayDrawing", "TesseractOCR", "NeuralOCR", "TextMatching", "TextSpotting", argumentParser,
            ],
            swiftSettings: settings),

        tests("ThreadsTests", ["Threads"]),
        tests("TextMatchingTests", ["Errors", "TextMatching"]),
        tests("TextSpottingTests", ["Errors", "TextMatching", "TextSpotting"]),
        tests("DisplaysTests", ["Displays"]),
        tests("GStreamerMediaTests", ["Displays", "GStreamerMedia", "Errors", "Threads", "TextSpotting"]),
        tests("CamerasTests", ["Cameras", "Errors", "TextSpotting"]),
        tests(
            "TesseractOCRTests",
            ["TesseractOCR", "OverlayDrawing", "Errors", "Threads", "TextMatching", "TextSpotting"]),
        tests(
            "NeuralOCRTests",
            ["NeuralOCR", "Vision", "OverlayDrawing", "Errors", "Threads", "TextMatching", "TextSpotting"]),
        tests(
            "OverlayDrawingTests",
            ["OverlayDrawing", "ClipRendering", "GStreamerMedia", "Errors", "Threads", "TextSpotting"]),
        tests(
            "SpotterTests",
            ["Spotter", "Cameras", "Displays", "GStreamerMedia", "Errors", "Threads", "TextMatching", "TextSpotting"]),
        tests(
            "FramegrepTests",
            [
                "framegrep", "GStreamerMedia", "OverlayDrawing", "Errors", "Threads", "TextMatching", "TextSpotting",
                "Spotter", argumentParser,
            ]),
    ],
    swiftLanguageModes: [.v6]
)
