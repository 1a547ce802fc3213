// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// What a layer remembers of a sequence.
package enum LayerMemory: Sendable, Hashable {
    /// The keys and values of all positions.
    case attention(kvHeads: Int, headWidth: Int)
    /// The last `taps - 1` inputs of a short convolution.
    case convolution(channels: Int, taps: Int)

    /// The bytes it takes for a sequence of `capacity` positions.
    package func byteCount(capacity: Int) -> Int {
        switch self {
        case .attention(let kvHeads, let headWidth):
            KeyValueCache.byteCount(capacity: capacity, kvHeads: kvHeads, headWidth: headWidth)
        case .convolution(let channels, let taps):
            ConvolutionHistory.byteCount(capacity: capacity, channels: channels, taps: taps)
        }
    }
}
