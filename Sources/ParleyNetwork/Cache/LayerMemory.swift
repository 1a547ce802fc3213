// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// What a layer keeps for a sequence: keys and values, a recurrent state, both or neither.
package struct LayerMemory: Sendable, Hashable {
    /// The form of an attention layer's keys and values.
    package struct Attention: Sendable, Hashable {
        package var kvHeads: Int
        package var headWidth: Int
        package var format: CacheFormat

        /// Describes keys and values.
        package init(kvHeads: Int, headWidth: Int, format: CacheFormat) {
            self.kvHeads = kvHeads
            self.headWidth = headWidth
            self.format = format
        }
    }

    /// The keys and values of all positions; nil for none.
    package var attention: Attention?
    /// The state of a recurrent part; nil for none.
    package var state: RecurrentShape?

    /// Describes the memory of a layer.
    package init(attention: Attention? = nil, state: RecurrentShape? = nil) {
        self.attention = attention
        self.state = state
    }

    /// The memory needed for a sequence of `capacity` positions, in bytes.
    package func byteCount(capacity: Int) -> Int {
        let keyValues = attention.map {
            KeyValueCache.byteCount(
                capacity: capacity, kvHeads: $0.kvHeads, headWidth: $0.headWidth, format: $0.format)
        }
        return (keyValues ?? 0) + (state.map { RecurrentState.byteCount(capacity: capacity, shape: $0) } ?? 0)
    }

    /// The form of the memory, in a few characters.
    package var layout: String {
        let keyValues = attention.map { "a\($0.kvHeads)x\($0.headWidth) \($0.format.rawValue)" }
        let state = state.map { shape in
            let matrices = shape.heads > 0 ? " s\(shape.heads)x\(shape.keyWidth)x\(shape.valueWidth)" : ""
            return "c\(shape.channels)x\(shape.taps)" + matrices
        }
        return [keyValues, state].compactMap { $0 }.joined(separator: " ")
    }
}
