// SPDX-License-Identifier: Apache-2.0

extension ArrayShape {
    /// Elements of which no two may be the same, where there are only so many different ones. Sets of them are bits of a
    /// number.
    struct Distinct {
        /// How many different elements are told apart.
        static let valueLimit = 64

        /// The nodes of the values, each of one value alone.
        var values: [NodeID]
        /// Which values may stand, place by place.
        var prefix: [UInt64]
        /// Which values may stand behind those places.
        var rest: UInt64

        /// Which values may stand at a place.
        func allowed(at index: Int) -> UInt64 { index < prefix.count ? prefix[index] : rest }

        /// Whether each of some places can have a value of its own, of those that are left.
        ///
        /// Places find theirs one after the other; one that finds none makes others give way, after Kuhn.
        func fills(_ places: Range<Int>, with left: UInt64) -> Bool {
            // Behind the first places all are alike.
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

        /// The height at which the first places can be filled, given those of the values' nodes; nil where never.
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
