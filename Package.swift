// swift-tools-version: 6.1
// A target exists only where its imports differ; docs/ARCHITECTURE.md has the graph. Imports only point down.
import PackageDescription

/// `scripts/test` asks for warnings as errors with the compiler whose warnings are known (FRAMEGREP_STRICT=1, CONTRIBUTING.md).
///
/// Not on the command line (-Xswiftc), which Swift 6.4 hands to the packages we depend on too, and not by
/// `.treatAllWarnings(as: .error)`, which Swift 6.1 does not know. Nobody who uses these libraries gets the flag.
let isStrict = Context.environment["FRAMEGREP_STRICT"] == "1"
let strictness: [SwiftSetting] =
    isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : []
let cStrictness: [CSetting] = isStrict ? [.unsafeFlags(["-Wall", "-Werror"])] : []
let cxxStrictness: [CXXSetting] = isStrict ? [.unsafeFlags(["-Wall", "-Werror"])] : []

/// The floors of the tree, from below: a target may import those beside it and below it. The libraries of C stand beside what wraps them.
let floors: KeyValuePairs<String, [String]> = [
    // What all of them throw; threads, processes, and the file of a service as values.
    "Base": ["Errors", "CProcesses", "Processes", "Threads", "TOML"],
    // Text and patterns in, matches out; what a text means.
    "Text": ["TextMatching", "CMeaning", "Meaning"],
    // Frames and readings in; which frames are read, how text is followed through time, and sightings out.
    "Timeline": ["TextSpotting"],
    // GStreamer, cameras, displays and drawing.
    "Media": [
        "CGStreamer", "GStreamerMedia", "CVideo4Linux", "Cameras", "CX11", "Displays", "CScreen", "Screens", "CCairo",
        "OverlayDrawing",
    ],
    // What reads, and what understands speech.
    "Engines": [
        "COpenVINO", "CVision", "NeuralOCR", "CTesseract", "TesseractOCR", "CSpeech", "Speech", "Engines",
    ],
    // Timelines that are kept.
    "Store": ["CGLib", "TextIndex"],
    // A source, its frames, a recognizer and what is done with the sightings.
    "Session": ["Spotter", "ScreenSearch"],
    // Others who are told.
    "Sinks": ["Notices", "CCurl", "Webhooks", "CMosquitto", "Mosquitto"],
    // What people and programs use: the command line and MCP, the page, and the element.
    "Shells": ["Page", "framegrep", "CGstFramegrep", "GstFramegrep"],
]

/// The folder of a target of the product.
func folder(of name: String) -> String {
    "Sources/\(floors.first { $0.value.contains(name) }!.key)/\(name)"
}

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + strictness

/// Swift's runtime and Foundation, linked into what is made: it then runs where no Swift is installed.
let swiftInside =
    ["-static-stdlib"]
    + [
        "Foundation", "FoundationInternationalization", "FoundationEssentials", "CoreFoundation", "_FoundationICU",
        "_FoundationCShims", "_FoundationCollections",
    ].map { "-l\($0)" }

/// `scripts/install` and `scripts/package` ask for a program with Swift inside (FRAMEGREP_STATIC=1, docs/decisions/packaging.md). Only the
/// last step, linking, differs. Not always, because the tests link the program's parts too, with a testing library that needs the
/// shared runtime.
let programLinking: [LinkerSetting] =
    Context.environment["FRAMEGREP_STATIC"] == "1" ? [.unsafeFlags(swiftInside)] : []

/// How the element is linked: Swift's runtime is inside, because the program that loads it is not Swift and knows no place to look for
/// one; nothing but the plugin's two entry points can be seen from outside, so that another Swift in the same process stays apart;
/// it is never unloaded, because Swift's runtime cannot be (docs/decisions/element.md).
let selfContained =
    swiftInside
    + ([
        "--version-script=\(Context.packageDirectory)/\(folder(of: "CGstFramegrep"))/exports.map", "-z", "nodelete",
    ]
    // A sanitizer's own functions are in the program that opens the library.
    + (Context.environment["FRAMEGREP_SANITIZER"] == nil ? ["-z", "defs"] : [])).flatMap { ["-Xlinker", $0] }

/// A target of ours: every one is compiled with the same language settings.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: folder(of: name), swiftSettings: settings)
}

/// A program for development, which is in no product (docs/decisions/tools-in-the-package.md).
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tools/\(name)", swiftSettings: settings)
}

/// Tests are not optimized, unlike what they test: that takes a third of their compiling away, and they hardly compute anything themselves.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings + [.unsafeFlags(["-Onone"])])
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
// SQLite's own functions, of the same library that GRDB uses.
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")

let package = Package(
    name: "framegrep",
    products: [
        .executable(name: "framegrep", targets: ["framegrep"]),
        .library(name: "TextSpotting", targets: ["TextSpotting"]),
        .library(name: "TextMatching", targets: ["TextMatching"]),
        // What the page's server is made of, but for the HTTP, which is in a package of its own (Serve/Package.swift).
        .library(name: "Page", targets: ["Page"]),
        // GStreamer finds a plugin by its file's name: libgstframegrep.so.
        .library(name: "gstframegrep", type: .dynamic, targets: ["GstFramegrep"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // C: module maps and headers of a few lines.
        .systemLibrary(name: "CGStreamer", path: folder(of: "CGStreamer"), pkgConfig: "gstreamer-app-1.0"),
        // Leptonica's flags, because its library has another name in each release (lept, leptonica); Tesseract's is in the module map.
        .systemLibrary(name: "CTesseract", path: folder(of: "CTesseract"), pkgConfig: "lept"),
        .systemLibrary(name: "CCairo", path: folder(of: "CCairo"), pkgConfig: "pangocairo"),
        .systemLibrary(name: "CProcesses", path: folder(of: "CProcesses")),
        .systemLibrary(name: "CVideo4Linux", path: folder(of: "CVideo4Linux")),
        .systemLibrary(name: "CX11", path: folder(of: "CX11"), pkgConfig: "xkbcommon"),
        .systemLibrary(name: "CCurl", path: folder(of: "CCurl"), pkgConfig: "libcurl"),
        .systemLibrary(name: "CGLib", path: folder(of: "CGLib"), pkgConfig: "glib-2.0"),
        .systemLibrary(name: "CMosquitto", path: folder(of: "CMosquitto"), pkgConfig: "libmosquitto"),
        .target(name: "COpenVINO", path: folder(of: "COpenVINO"), cSettings: cStrictness),
        .target(name: "CMeaning", path: folder(of: "CMeaning"), cSettings: cStrictness),
        .target(name: "CSpeech", path: folder(of: "CSpeech"), cSettings: cStrictness),
        .target(
            name: "CScreen", path: folder(of: "CScreen"), cSettings: cStrictness,
            linkerSettings: ["X11", "Xext", "Xcomposite", "Xdamage", "Xfixes", "Xrender", "Xrandr"].map {
                .linkedLibrary($0)
            }),
        .target(
            name: "CVision", path: folder(of: "CVision"),
            cxxSettings: [.unsafeFlags(["-isystem", "/usr/include/opencv4"])] + cxxStrictness,
            linkerSettings: [
                .linkedLibrary("opencv_core"), .linkedLibrary("opencv_imgproc"),
            ]),

        // The core: values and algorithms, no C. What all of them throw; what makes threads; text in, matches out; and
        // what text does in pictures.
        module("Errors", []),
        module("Processes", ["CProcesses"]),
        // The file of a service: text in, values with their lines out.
        module("TOML", []),
        module("Threads", ["CProcesses", collections]),
        module("TextMatching", ["Errors"]),
        module("TextSpotting", ["Errors", "TextMatching"]),

        // What was read, kept and searched without the pictures: SQLite files below, values in and out.
        // C multiplies vectors, as in Meaning.
        module(
            "TextIndex",
            ["CGLib", "CMeaning", "Errors", "Processes", "TextMatching", "TextSpotting", "Threads", database, sqlite]),

        // Telling others: what is said to them, as values, and an outbox in which it waits until they have it.
        module("Notices", ["Errors", "Threads", "TextSpotting", database]),

        // Each wraps one library for the core's protocols and values.
        module("Webhooks", ["CCurl", "CGStreamer", "Notices", "Errors", "Threads"]),
        module("Mosquitto", ["CMosquitto", "Notices", "Errors", "Threads"]),
        module("Displays", ["CX11", "Threads"]),
        // The desktop as a picture, and boxes over it.
        module("Screens", ["CScreen", "CGStreamer", "Displays", "Errors", "Threads", "TextSpotting"]),
        module("GStreamerMedia", ["CGStreamer", "Displays", "Errors", "Processes", "Threads", "TextSpotting"]),
        // What somebody says, as text: sound comes through GStreamer, a process of its own understands it.
        module(
            "Speech", ["CSpeech", "CGStreamer", "GStreamerMedia", "Errors", "Processes", "TextMatching", "Threads"]),
        module("Cameras", ["CVideo4Linux", "Errors", "TextSpotting"]),
        module("TesseractOCR", ["CTesseract", "Errors", "Processes", "Threads", "TextMatching", "TextSpotting"]),
        module(
            "NeuralOCR", ["COpenVINO", "CVision", "Errors", "Processes", "Threads", "TextMatching", "TextSpotting"]),
        // What texts mean, as vectors: C multiplies, because it can choose instructions by the processor.
        module("Meaning", ["CMeaning", "Errors", "TextMatching"]),
        module("OverlayDrawing", ["CCairo", "Errors", "TextSpotting"]),

        // The jobs join them; the shell is what a person types.
        module(
            "Spotter",
            [
                "Cameras", "Displays", "GStreamerMedia", "OverlayDrawing", "Speech", "Errors", "Processes", "Threads",
                "TextMatching", "TextSpotting",
            ]),
        // The search on one's own screen; not in Spotter, which the element has inside too.
        module(
            "ScreenSearch",
            [
                "Screens", "Displays", "GStreamerMedia", "Spotter", "OverlayDrawing", "Errors", "Processes", "Threads",
                "TextMatching", "TextSpotting",
            ]),
        // Which engine reads; the shells ask for it by name.
        module(
            "Engines",
            [
                "TesseractOCR", "NeuralOCR", "Meaning", "GStreamerMedia", "Errors", "Threads", "TextMatching",
                "TextSpotting",
            ]),
        // The page: what it shows, what its server answers and what it refuses. Knows no HTTP library.
        .target(
            name: "Page",
            dependencies: [
                "Spotter", "TextIndex", "Meaning", "Speech", "GStreamerMedia", "OverlayDrawing", "Errors", "Processes",
                "Threads", "TextMatching", "TextSpotting",
            ],
            path: folder(of: "Page"), resources: [.embedInCode("Assets")], swiftSettings: settings),
        .executableTarget(
            name: "framegrep",
            dependencies: [
                "Spotter", "Engines", "TextIndex", "Cameras", "Displays", "ScreenSearch", "Screens", "Speech",
                "TesseractOCR", "NeuralOCR", "GStreamerMedia", "Notices", "Webhooks", "Mosquitto", "Page", "Errors",
                "Processes", "TOML",
                "Threads", "TextMatching", "TextSpotting", argumentParser,
            ],
            path: folder(of: "framegrep"), swiftSettings: settings, linkerSettings: programLinking),

        // The other shell: an element for the pipelines of others. Its type and its pads are C, its search is Spotter's.
        .target(
            name: "CGstFramegrep", dependencies: ["CGStreamer"], path: folder(of: "CGstFramegrep"),
            exclude: ["exports.map"], cSettings: cStrictness),
        .target(
            name: "GstFramegrep",
            dependencies: [
                "CGstFramegrep", "CGStreamer", "Spotter", "Engines", "GStreamerMedia", "Errors", "Threads",
                "TextMatching",
                "TextSpotting",
            ],
            path: folder(of: "GstFramegrep"), swiftSettings: settings,
            linkerSettings: [.linkedLibrary("gstbase-1.0"), .unsafeFlags(selfContained)]),

        // Clips whose words, places and times are known, for the tests, the demo and the benchmarks.
        .target(
            name: "Painting", dependencies: ["CCairo", "OverlayDrawing", "Errors", "TextSpotting"],
            path: "Tools/Painting", swiftSettings: settings),
        .target(
            name: "ClipRendering",
            dependencies: ["Painting", "GStreamerMedia", "OverlayDrawing", "Errors", "Threads", "TextSpotting"],
            path: "Tools/ClipRendering", swiftSettings: settings),
        tool(
            "render-clips", ["ClipRendering", "Painting", "OverlayDrawing", "Errors", "TextSpotting", argumentParser]),

        // The least that uses the libraries; docs and CONTRIBUTING.md point at it.
        .executableTarget(
            name: "hello-framegrep",
            dependencies: [
                "Spotter", "NeuralOCR", "TesseractOCR", "GStreamerMedia", "Errors", "TextMatching", "TextSpotting",
            ],
            path: "Examples/hello-framegrep", swiftSettings: settings),

        tool("measure-matching", ["TextMatching", argumentParser]),
        // What docs/MEANING.md says: how well lines are found by meaning, and what a text costs.
        tool("measure-meaning", ["Engines", "Meaning", "TextMatching", argumentParser]),
        // What docs/VOICE.md says: which of some lines is found when somebody says one of them.
        tool("measure-voice", ["Engines", "GStreamerMedia", "Speech", "TextMatching"]),
        // What docs/INDEX.md says of times and sizes comes from: a million lines, made up and misread.
        tool("measure-index", ["TextIndex", "Engines", "Errors", "TextMatching", "TextSpotting", argumentParser]),
        // What the matcher's numbers come from: rendered words, read by the engines.
        tool(
            "measure-words",
            [
                "Painting", "OverlayDrawing", "TesseractOCR", "NeuralOCR", "TextMatching", "TextSpotting",
                argumentParser,
            ]),

        // What tests of several targets need.
        .target(
            name: "TestSupport", dependencies: ["GStreamerMedia", "Errors"], path: "Tests/TestSupport",
            swiftSettings: settings),

        tests("ThreadsTests", ["Threads"]),
        tests("ProcessesTests", ["Processes"]),
        tests("TOMLTests", ["TOML"]),
        tests("TextMatchingTests", ["Errors", "TextMatching"]),
        tests("MeaningTests", ["Meaning", "Engines", "Errors", "TextMatching"]),
        tests("TextSpottingTests", ["Errors", "TextMatching", "TextSpotting"]),
        tests(
            "NoticesTests",
            ["TestSupport", "Notices", "Webhooks", "Mosquitto", "GStreamerMedia", "Errors", "TextSpotting", database]),
        tests("TextIndexTests", ["TextIndex", "Errors", "TextMatching", "TextSpotting", database]),
        tests(
            "PageTests",
            ["TestSupport", "Page", "TextIndex", "Errors", "Threads", "TextMatching", "TextSpotting"]),
        tests("DisplaysTests", ["Displays"]),
        tests("SpeechTests", ["TestSupport", "Speech", "GStreamerMedia", "Errors", "TextMatching"]),
        tests(
            "ScreenSearchTests",
            ["TestSupport", "ScreenSearch", "Screens", "CScreen", "Errors", "TextMatching", "TextSpotting"]),
        tests(
            "GStreamerMediaTests",
            ["TestSupport", "Displays", "GStreamerMedia", "Errors", "Threads", "TextSpotting"]),
        tests("CamerasTests", ["Cameras", "Errors", "TextSpotting"]),
        tests(
            "TesseractOCRTests",
            ["TesseractOCR", "Painting", "OverlayDrawing", "Errors", "Threads", "TextMatching", "TextSpotting"]),
        tests(
            "NeuralOCRTests",
            [
                "TestSupport", "NeuralOCR", "Painting", "OverlayDrawing", "Errors", "Threads", "TextMatching",
                "TextSpotting",
            ]),
        tests(
            "OverlayDrawingTests",
            ["OverlayDrawing", "Painting", "ClipRendering", "GStreamerMedia", "Errors", "Threads", "TextSpotting"]),
        tests(
            "SpotterTests",
            [
                "TestSupport", "Painting", "Spotter", "Cameras", "Displays", "GStreamerMedia", "Errors", "Threads",
                "TextMatching", "TextSpotting",
            ]),
        tests(
            "FramegrepTests",
            [
                "TestSupport", "framegrep", "Engines", "NeuralOCR", "GStreamerMedia", "Painting", "OverlayDrawing",
                "Errors",
                "Threads",
                "TextMatching", "TextSpotting", "Notices", "Mosquitto", "Page", "TextIndex",
                "Spotter", argumentParser,
            ]),
    ],
    swiftLanguageModes: [.v6]
)
