// swift-tools-version: 6.1
// A target exists only where its imports differ; docs/ARCHITECTURE.md has the graph. Imports only point down.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

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
        .target(name: "COpenVINO"),
        .target(
            name: "CVision",
            cxxSettings: [.unsafeFlags(["-isystem", "/usr/include/opencv4"])],
            linkerSettings: [
                .linkedLibrary("opencv_core"), .linkedLibrary("opencv_imgproc"),
            ]),

        // The core: values and algorithms, no C.
        module("TextSpotting", [collections]),

        // Each wraps one library for the core's protocols and values.
        module("GStreamerMedia", ["CGStreamer", "TextSpotting"]),
        module("Cameras", ["CVideo4Linux", "TextSpotting"]),
        module("TesseractOCR", ["CTesseract", "TextSpotting"]),
        module("Vision", ["CVision", "TextSpotting"]),
        module("NeuralOCR", ["COpenVINO", "Vision", "TextSpotting"]),
        module("OverlayDrawing", ["CCairo", "TextSpotting"]),

        // The jobs join them; the shell is what a person types.
        module("Spotter", ["Cameras", "GStreamerMedia", "OverlayDrawing", "TextSpotting"]),
        .executableTarget(
            name: "framegrep",
            dependencies: [
                "Spotter", "Cameras", "TesseractOCR", "NeuralOCR", "GStreamerMedia", "TextSpotting", argumentParser,
            ],
            swiftSettings: settings),

        // Clips whose words, places and times are known, for the tests, the demo and the benchmarks.
        module("ClipRendering", ["GStreamerMedia", "OverlayDrawing", "TextSpotting"]),
        .executableTarget(
            name: "render-clips",
            dependencies: ["ClipRendering", "OverlayDrawing", "TextSpotting", argumentParser],
            swiftSettings: settings),

        .executableTarget(
            name: "measure-matching", dependencies: ["TextSpotting"], swiftSettings: settings),
        // What the matcher's numbers come from: rendered words, read by the engines.
        .executableTarget(
            name: "measure-words",
            dependencies: ["OverlayDrawing", "TesseractOCR", "NeuralOCR", "TextSpotting", argumentParser],
            swiftSettings: settings),

        tests("TextSpottingTests", ["TextSpotting"]),
        tests("GStreamerMediaTests", ["GStreamerMedia", "TextSpotting"]),
        tests("CamerasTests", ["Cameras", "TextSpotting"]),
        tests("TesseractOCRTests", ["TesseractOCR", "OverlayDrawing", "TextSpotting"]),
        tests("NeuralOCRTests", ["NeuralOCR", "Vision", "OverlayDrawing", "TextSpotting"]),
        tests("OverlayDrawingTests", ["OverlayDrawing", "ClipRendering", "GStreamerMedia", "TextSpotting"]),
        tests("SpotterTests", ["Spotter", "Cameras", "GStreamerMedia", "TextSpotting"]),
        tests("FramegrepTests", ["GStreamerMedia", "OverlayDrawing", "TextSpotting", "Spotter"]),
    ],
    swiftLanguageModes: [.v6]
)
