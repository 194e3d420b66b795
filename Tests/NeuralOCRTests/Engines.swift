import TextSpotting

@testable import NeuralOCR

/// The engines of the tests, loaded once each; only used by tests that are enabled when the engine is installed.
enum Engines {
    static let installation = NeuralEngine.installation()
    static var isInstalled: Bool { NeuralLevel.allCases.allSatisfy(installation.hasLevel) }

    static let hasVirtualDevices = ["auto", "hetero:cpu"].allSatisfy { name in
        NeuralDevice(name).map { (try? NeuralEngine.check($0)) != nil } ?? false
    }

    static func engine(
        _ level: NeuralLevel = .fast, threads: Int = 2, mode: NeuralEngine.Mode = .throughput
    ) async throws -> NeuralEngine {
        var settings = NeuralEngine.Settings()
        settings.level = level
        settings.threads = threads
        settings.mode = mode
        return try await NeuralEngine.load(settings: settings)
    }
}
