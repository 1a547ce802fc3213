// SPDX-License-Identifier: Apache-2.0

/// A version such as 1.31.2.
package struct LibraryVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Its three numbers, each from 0 to 9,999.
    package let major, minor, patch: Int

    /// Creates a version.
    package init(_ major: Int, _ minor: Int, _ patch: Int = 0) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// Reads a version; what follows its third number does not count. Nil for a text that begins otherwise.
    package init?(_ text: String) {
        var numbers: [Int] = []
        for part in text.prefix(100).split(separator: ".", omittingEmptySubsequences: false).prefix(3) {
            guard let number = Int(part.prefix { ("0"..."9").contains($0) }), (0..<10_000).contains(number) else {
                break
            }
            numbers.append(number)
        }
        guard numbers.count >= 2 else { return nil }
        self.init(numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
    }

    /// The numbers, without a last 0.
    package var description: String { "\(major).\(minor)" + (patch == 0 ? "" : ".\(patch)") }
}
