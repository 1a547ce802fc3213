// SPDX-License-Identifier: Apache-2.0

extension ArrayShape {
    /// The elements of an array that must all differ, from a small set of values. Sets of values are the bits of a
    /// number.
    struct Distinct {
        /// The maximum number of different values.
        static let valueLimit = 64

        /// For each value, the node that accepts only this value.
        var values: [NodeID]
        /// The values allowed at the first places, place by place.
        var prefix: [UInt64]
        /// The values allowed at the later places.
        var rest: UInt64

        /// The values allowed at a place.
        func allowed(at index: Int) -> UInt64 { index < prefix.count ? prefix[index] : rest }

        /// Whether each index in a range can be given a different one of the remaining values.
        ///
        /// A bipartite matching by augmenting paths (Kuhn's algorithm).
        func fills(_ places: Range<Int>, with left: UInt64) -> Bool {
            // The later places all allow the same values.
            if places.lowerBound >= prefix.count { return (rest & left).nonzeroBitCount >= places.count }
            guard places.count <= left.nonzeroBitCount else { return false }
            var holders = [Int](repeating: -1, count: Self.valueLimit)
            for place in places {
                var tried = ~left
                guard settle(place, &tried, &holders) else { return false }
            }
            return true
        }

        private func settle(_ place: Int, _ tried: inout UInt64, _ holders: inout [Int]) -> Bool {
            while case let open = allowed(at: place) & ~tried, open != 0 {
                let index = open.trailingZeroBitCount
                tried |= 1 << UInt64(index)
                if holders[index] < 0 || settle(holders[index], &tried, &holders) {
                    holders[index] = place
                    return true
                }
            }
            return false
        }

        /// The least height with which the first places can be filled, given the heights of the values' nodes; nil
        /// where they cannot be.
        func height(filling count: Int, _ height: (NodeID) -> Int32, endless: Int32) -> Int32? {
            guard count > 0 else { return 0 }
            let heights = values.map(height)
            for limit in Set(heights).sorted() where limit < endless {
                var left: UInt64 = 0
                for index in heights.indices where heights[index] <= limit { left |= 1 << UInt64(index) }
                if fills(0..<count, with: left) { return limit }
            }
            return nil
        }
    }
}
