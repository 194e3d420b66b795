import Foundation
import Testing

@testable import TextSpotting

/// Numbers are written as C writes them, without the zeros at the end.
struct DecimalTextTests {
    private func expected(_ value: Double, _ decimals: Int) -> String {
        let text = String(format: "%.\(decimals)f", value)
        guard text.contains(".") else { return text == "-0" ? "0" : text }
        var kept = Substring(text)
        while kept.hasSuffix("0") { kept.removeLast() }
        if kept.hasSuffix(".") { kept.removeLast() }
        return kept == "-0" ? "0" : String(kept)
    }

    @Test func numbersAreThoseOfPrintf() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let decimals = Int.random(in: 0...6, using: &generator)
            let value = Double.random(in: -3000...3000, using: &generator)
            // Ties and their neighbors, which a product of two fractions cannot tell apart.
            let tie = ((value * 1000).rounded() + 0.5) / 1000
            for number in [value, tie, tie.nextUp, tie.nextDown, value / 1e6, value * 1e9] {
                #expect(
                    DecimalText.text(number, decimals: decimals) == expected(number, decimals), "\(number) \(decimals)")
            }
        }
    }

    @Test(arguments: [
        (0.0, 3, "0"), (-0.0, 3, "0"), (-0.0004, 3, "0"), (1.5, 0, "2"), (2.5, 0, "2"), (0.125, 2, "0.12"),
        (1.115, 2, "1.11"), (10, 3, "10"), (100.05, 2, "100.05"), (-7.25, 1, "-7.2"), (.infinity, 3, "0"),
        (.nan, 3, "0"),
        (1e300, 0, String(format: "%.0f", 1e300)), (0.999999, 3, "1"), (1.000_01, 9, "1.00001"),
    ])
    func someNumbers(value: Double, decimals: Int, text: String) {
        #expect(DecimalText.text(value, decimals: decimals) == text)
    }
}
