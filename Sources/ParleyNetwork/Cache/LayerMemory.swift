// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The state that a layer keeps for a sequence.
package enum LayerMemory: Sendable, Hashable {
    /// An attention layer's keys and values of all positions.
    case attention(kvHeads: Int, headWidth: Int, format: CacheFormat)
    /// A short convolution's last `taps - 1` inputs.
    case convolution(channels: Int, taps: Int)

    /// The memory needed for a sequence of `capacity` positions, in bytes.
    package func byteCount(capacity: Int) -> Int {
        switch self {
        case .attention(let kvHeads, let headWidth, let format):
            KeyValueCache.byteCount(capacity: capacity, kvHeads: kvHeads, headWidth: headWidth, format: format)
        case .convolution(let channels, let taps):
            ConvolutionHistory.byteCount(capacity: capacity, channels: channels, taps: taps)
        }
    }

    /// The form of the memory, in a few characters.
    package var layout: String {
        switch self {
        case .attention(let kvHeads, let headWidth, let format): "a\(kvHeads)x\(headWidth) \(format.rawValue)"
        case .convolution(let channels, let taps): "c\(channels)x\(taps)"
        }
    }
}
