// swift-tools-version: 6.2
// The HTTP of `framegrep serve`. It is a separate package, because its dependencies take minutes to compile, and
// builds and tests of framegrep should not have to wait for them (docs/decisions/page.md).
import PackageDescription

let isStrict = Context.environment["FRAMEGREP_STRICT"] == "1"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (isStrict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

/// With FRAMEGREP_STATIC=1 Swift's runtime and Foundation are linked into the server, as into the program (../Package.swift).
let linking: [LinkerSetting] =
    Context.environment["FRAMEGREP_STATIC"] == "1"
    ? [
        .unsafeFlags(
            ["-static-stdlib"]
                + [
                    "Foundation", "FoundationInternationalization", "FoundationEssentials", "CoreFoundation",
                    "_FoundationICU", "_FoundationCShims", "_FoundationCollections",
                ].map { "-l\($0)" })
    ] : []

let package = Package(
    name: "framegrep-serve",
    products: [.executable(name: "framegrep-serve", targets: ["framegrep-serve"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(name: "framegrep", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "framegrep-serve",
            dependencies: [
                .product(name: "Page", package: "framegrep"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings, linkerSettings: linking)
    ],
    swiftLanguageModes: [.v6]
)
