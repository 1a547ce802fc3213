// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Counts with commas between them: `0,1024,4096`.
package struct CountList: ExpressibleByArgument, ExpressibleByArrayLiteral, Sendable, Hashable {
    /// The counts, none below 0.
    package let values: [Int]

    /// Parses counts; nil if one is not a count, or if there are none.
    package init?(argument: String) {
        let values = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard values.allSatisfy({ ($0 ?? -1) >= 0 }) else { return nil }
        self.values = values.compactMap(\.self)
    }

    /// Creates a list.
    package init(arrayLiteral values: Int...) {
        self.values = values
    }

    /// The list as it is written in an argument.
    package var defaultValueDescription: String {
        values.isEmpty ? "none" : values.map(String.init).joined(separator: ",")
    }
}
