// SPDX-License-Identifier: Apache-2.0

/// A small random number generator whose sequence depends only on its seed
/// ([Steele, Lea and Flood, 2014](https://doi.org/10.1145/2714064.2660195)).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a random number in `0..<1`.
    package mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
