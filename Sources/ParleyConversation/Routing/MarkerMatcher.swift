// SPDX-License-Identifier: Apache-2.0

/// Finds markers in a text that comes scalar by scalar, and holds back what may become one.
///
/// The first to be complete wins, of those complete at once the longest. Which markers are looked for may change
/// from scalar to scalar.
struct MarkerMatcher: Sendable {
    typealias Scalars = [Unicode.Scalar]

    /// What a scalar has settled.
    struct Step {
        /// The text that is certainly no part of a marker.
        var released: Scalars
        /// The index of the marker that is now complete, of those that were passed.
        var found: Int?
    }

    /// The end of the text so far that is a proper prefix of some marker.
    private(set) var held: Scalars = []

    mutating func accept(_ scalar: Unicode.Scalar, markers: [Scalars]) -> Step {
        // Almost every scalar of a text begins no marker.
        if held.isEmpty, !markers.contains(where: { $0.first == scalar }) {
            return Step(released: [scalar], found: nil)
        }
        held.append(scalar)
        var found: Int?
        for (index, marker) in markers.enumerated() where !marker.isEmpty && held.suffix(marker.count) == marker[...] {
            if marker.count > found.map({ markers[$0].count }) ?? 0 { found = index }
        }
        if let found {
            return Step(released: take(held.count - markers[found].count, dropping: markers[found].count), found: found)
        }
        let start = held.indices.first { start in
            markers.contains { $0.count > held.count - start && $0.starts(with: held[start...]) }
        }
        return Step(released: take(start ?? held.count, dropping: 0), found: nil)
    }

    /// What is still held back at the end.
    mutating func finish() -> Scalars {
        take(held.count, dropping: 0)
    }

    private mutating func take(_ count: Int, dropping dropped: Int) -> Scalars {
        defer { held.removeSubrange(..<(count + dropped)) }
        return Array(held[..<count])
    }
}
