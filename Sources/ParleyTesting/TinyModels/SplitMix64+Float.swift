// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime

extension SplitMix64 {
    /// Returns the next number, uniformly distributed from -1 to 1.
    package mutating func nextFloat() -> Float {
        Float(Int32(truncatingIfNeeded: next() >> 40)) * 0x1p-23 - 1
    }
}
