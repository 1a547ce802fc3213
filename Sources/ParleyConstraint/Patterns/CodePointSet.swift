// SPDX-License-Identifier: Apache-2.0

/// A set of Unicode scalar values as sorted ranges that neither touch nor overlap.
struct CodePointSet: Hashable, Sendable {
    private(set) var ranges: [ClosedRange<UInt32>]

    /// Every scalar value: all code points but the surrogates.
    static let all = CodePointSet([0...0xD7FF, 0xE000...0x10FFFF])

    init(_ ranges: [ClosedRange<UInt32>] = []) {
        self.ranges = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.ranges.last, range.lowerBound <= last.upperBound &+ 1 {
                self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    init(_ scalar: UInt32) { ranges = [scalar...scalar] }

    var isEmpty: Bool { ranges.isEmpty }

    func contains(_ scalar: UInt32) -> Bool { ranges.contains { $0.contains(scalar) } }

    func union(_ other: CodePointSet) -> CodePointSet { CodePointSet(ranges + other.ranges) }

    func intersection(_ other: CodePointSet) -> CodePointSet {
        var result: [ClosedRange<UInt32>] = []
        for left in ranges {
            for right in other.ranges where left.overlaps(right) { result.append(left.clamped(to: right)) }
        }
        return CodePointSet(result)
    }

    /// The scalar values that are not in the set.
    var inverted: CodePointSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { gaps.append(next...0x10FFFF) }
        return CodePointSet(gaps).intersection(.all)
    }
}

extension CodePointSet {
    /// `\d`, `\w`, `\s` and `.` as ECMA-262 defines them.
    static let digits = CodePointSet([0x30...0x39])
    static let wordCharacters = CodePointSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let lineTerminators = CodePointSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])
    static let whitespace = CodePointSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
}
