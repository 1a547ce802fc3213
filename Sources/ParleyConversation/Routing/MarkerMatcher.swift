// SPDX-License-Identifier: Apache-2.0

/// Finds markers in a text that arrives scalar by scalar, and holds back text that may be the beginning of a marker.
///
/// The marker that is complete first wins; of several complete at the same scalar, the longest. The set of markers may
/// change from scalar to scalar.
struct MarkerMatcher: Sendable {
    typealias Scalars = [Unicode.Scalar]

    /// The result of one scalar.
    struct Step {
        /// The text that is now known not to be part of a marker.
        var released: Scalars
        /// The index of the marker that this scalar completed, in the list that was passed; nil if none.
        var found: Int?
    }

    /// The suffix of the text so far that is a proper prefix of a marker.
    private(set) var held: Scalars = []

    mutating func accept(_ scalar: Unicode.Scalar, markers: [Scalars]) -> Step {
        // Fast path: most scalars do not begin a marker.
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

    /// Returns the text still held back, at the end of the input.
    mutating func finish() -> Scalars {
        take(held.count, dropping: 0)
    }

    private mutating func take(_ count: Int, dropping dropped: Int) -> Scalars {
        defer { held.removeSubrange(..<(count + dropped)) }
        return Array(held[..<count])
    }
}
