// SPDX-License-Identifier: Apache-2.0

/// The name of a part of a split file, such as `model-00001-of-00003.gguf`.
struct SplitName: Sendable, Hashable {
    /// What stands before the numbers.
    var base: String
    /// The number of this part, from 1.
    var part: Int
    /// The number of parts.
    var count: Int

    /// Reads a name; nil for a file that is not split.
    init?(_ name: String) {
        guard let match = name.wholeMatch(of: /(.+)-(\d{5})-of-(\d{5})\.gguf/), let part = Int(match.2),
            let count = Int(match.3), count > 1, (1...count).contains(part)
        else { return nil }
        (base, self.part, self.count) = (String(match.1), part, count)
    }

    /// The names of all parts, in order.
    var all: [String] {
        (1...count).map { "\(base)-\(Self.padded($0))-of-\(Self.padded(count)).gguf" }
    }

    private static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
}
