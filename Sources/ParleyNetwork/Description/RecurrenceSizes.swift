// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The sizes of layers with linear attention or a state space, in whose terms the file describes them.
package struct RecurrenceSizes: Sendable, Hashable {
    /// Whether each layer has a recurrent part.
    package let layers: [Bool]
    /// The length of the convolution's kernel.
    package let taps: Int
    /// The number of heads of values, each with a state.
    package let heads: Int
    /// The number of heads of queries and keys, a divisor of ``heads``.
    package let groups: Int
    /// The number of values in a query or key.
    package let keyWidth: Int
    /// The number of values in a value.
    package let valueWidth: Int

    /// The total width of all values.
    package var innerWidth: Int { heads * valueWidth }
    /// The total width of queries, keys and values, which pass through the convolution together.
    package var channels: Int { 2 * groups * keyWidth + innerWidth }
    /// What a layer keeps of a sequence.
    package var shape: RecurrentShape {
        RecurrentShape(channels: channels, taps: taps, heads: heads, keyWidth: keyWidth, valueWidth: valueWidth)
    }
}
