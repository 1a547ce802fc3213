// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The range of an option's numbers.
package struct OptionRange: Sendable {
    private let range: ClosedRange<Int>

    /// Creates the range of an option.
    package init(_ range: ClosedRange<Int>) {
        self.range = range
    }

    /// Numbers of tokens of a prompt, reply or context. The maximum is larger than any trained context.
    package static let tokens = OptionRange(1...1 << 24)
    /// The same, where 0 is allowed.
    package static let optionalTokens = OptionRange(0...1 << 24)

    /// Checks the number given for an option, if one is given.
    ///
    /// - Throws: `ValidationError` that names the option and the range.
    package func check(_ value: Int?, of option: String) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) must be from \(range.lowerBound) to \(range.upperBound), not \(value).")
    }
}
