// SPDX-License-Identifier: Apache-2.0

/// The text of a marker, prepared for finding it in one pass (the algorithm of Knuth, Morris and Pratt).
struct MarkerText: Sendable {
    let scalars: [Unicode.Scalar]
    /// For each number of scalars that have matched: how many still match if the next one does not, which is the length
    /// of the longest proper prefix that is a suffix as well.
    private let fallbacks: [Int32]

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        var fallbacks = [Int32](repeating: 0, count: scalars.count + 1)
        var length = 0
        for index in scalars.indices.dropFirst() {
            while length > 0, scalars[index] != scalars[length] { length = Int(fallbacks[length]) }
            if scalars[index] == scalars[length] { length += 1 }
            fallbacks[index + 1] = Int32(clamping: length)
        }
        self.fallbacks = fallbacks
    }

    var count: Int { scalars.count }

    /// How many scalars at the end of the whole marker are its beginning as well.
    var overlap: Int { Int(fallbacks[count]) }

    /// How many scalars match after the next one, where `matched` did before it.
    func next(_ scalar: Unicode.Scalar, after matched: Int) -> Int {
        var matched = matched < count ? matched : Int(fallbacks[matched])
        while matched > 0, scalars[matched] != scalar { matched = Int(fallbacks[matched]) }
        return scalars[matched] == scalar ? matched + 1 : 0
    }
}

/// Finds markers in a text that arrives scalar by scalar, and holds back text that may be the beginning of a marker.
///
/// The marker that is complete first wins; of several complete at the same scalar, the longest. The set of markers may
/// change from scalar to scalar. The time is proportional to the text, however long the markers are.
struct MarkerMatcher: Sendable {
    typealias Scalars = [Unicode.Scalar]

    /// The result of one scalar.
    struct Step {
        /// The text that is now known not to be part of a marker.
        var released: Scalars
        /// The index of the marker that this scalar completed, in the table that was passed; nil if none.
        var found: Int?
    }

    /// The suffix of the text so far that is a proper prefix of a marker.
    private(set) var held: Scalars = []
    /// How many scalars at the end of the held text match the beginning of each marker of the last table.
    private var matched: [Int] = []
    /// The place of that table.
    private var place = RouterMarkers.Place.text

    /// Reads the next scalar.
    ///
    /// - Parameters:
    ///   - scalar: the scalar.
    ///   - table: the markers.
    ///   - ignored: the kind of marker that is text where it ends with this scalar; nil for none.
    /// - Returns: the text that the scalar releases, and the marker that it completes.
    mutating func accept(
        _ scalar: Unicode.Scalar, markers table: RouterMarkers.Table, except ignored: RouterMarkers.Marker? = nil
    ) -> Step {
        let markers = table.texts
        if held.isEmpty {
            // Fast path: most scalars do not begin a marker.
            guard markers.contains(where: { $0.scalars[0] == scalar }) else {
                return Step(released: [scalar], found: nil)
            }
            matched.removeAll(keepingCapacity: true)
            matched.append(contentsOf: repeatElement(0, count: markers.count))
        } else if place != table.place {
            matched = markers.map { marker in held.reduce(0) { marker.next($1, after: $0) } }
        }
        place = table.place
        held.append(scalar)
        var found: Int?
        var longest = 0
        for (index, marker) in markers.enumerated() {
            matched[index] = marker.next(scalar, after: matched[index])
            if matched[index] == marker.count, table.markers[index] == ignored { matched[index] = marker.overlap }
            if matched[index] < marker.count {
                longest = max(longest, matched[index])
            } else if marker.count > found.map({ markers[$0].count }) ?? 0 {
                found = index
            }
        }
        guard let found else { return Step(released: take(held.count - longest, dropping: 0), found: nil) }
        let length = markers[found].count
        return Step(released: take(held.count - length, dropping: length), found: found)
    }

    /// Returns the text still held back, at the end of the input.
    mutating func finish() -> Scalars {
        take(held.count, dropping: 0)
    }

    private mutating func take(_ count: Int, dropping dropped: Int) -> Scalars {
        defer { held.removeFirst(count + dropped) }
        return Array(held[..<count])
    }
}
