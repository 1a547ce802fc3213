// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The numbers that an option takes.
struct OptionRange {
    private let range: ClosedRange<Int>

    init(_ range: ClosedRange<Int>) {
        self.range = range
    }

    /// Tokens of one prompt, reply or context: at most more than any model is trained for.
    static let tokens = OptionRange(1...1 << 24)
    /// The same, where 0 is allowed.
    static let optionalTokens = OptionRange(0...1 << 24)

    /// Checks the number given for an option.
    ///
    /// - Throws: `ValidationError` that names the option and the range.
    func check(_ value: Int?, of option: String) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) must be from \(range.lowerBound) to \(range.upperBound), not \(value).")
    }
}
