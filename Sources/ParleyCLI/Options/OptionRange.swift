// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The range of an option's numbers.
struct OptionRange {
    private let range: ClosedRange<Int>

    init(_ range: ClosedRange<Int>) {
        self.range = range
    }

    /// Numbers of tokens of a prompt, reply or context. The maximum is larger than any trained context.
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
