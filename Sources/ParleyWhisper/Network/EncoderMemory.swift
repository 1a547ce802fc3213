// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// How an encoder divides the model's scratch memory.
///
/// The hidden states come first. Behind them are, at first, the spectrum and the result of the first convolution, and then
/// the areas of the layers. Queries, keys and values are no longer needed when a layer's feed-forward part begins, and
/// share their memory with it.
final class EncoderMemory {
    /// The areas for a number of rows.
    struct Rows {
        let hidden, normed, branch, queries, keys, values, inner: FloatRows
        let quantized: QuantizedRows
        let attention: Attention
    }

    /// How scores are computed, and the memory for it.
    enum Attention {
        case exact(KeyValueCache)
        case quantized(QuantizedAttention)
    }

    /// `[1 + 3000 + 1, width]`
    let convolved: ScratchArea
    /// `[1 + 3000 + 1, bands]`
    let spectrum: ScratchArea
    /// What the spectrum is computed in.
    let frames: ScratchArea
    let quantized: QuantizedRows
    private let dimensions: WhisperDimensions
    private let buffer: AlignedBuffer
    private let attention: Attention

    init(_ dimensions: WhisperDimensions, isExact: Bool, lanes: Int, scratch: ScratchMemory) throws {
        let (window, width) = (dimensions.audioContext, dimensions.width)
        (self.dimensions, buffer, quantized) = (dimensions, scratch.floats, scratch.quantized)
        let offsets = Self.offsets(dimensions)
        convolved = ScratchArea(buffer: buffer, offset: offsets.convolved)
        spectrum = ScratchArea(buffer: buffer, offset: offsets.spectrum)
        frames = ScratchArea(buffer: buffer, offset: offsets.frames)
        let (heads, headWidth) = (dimensions.audioHeads, width / dimensions.audioHeads)
        if !isExact,
            let memory = try QuantizedAttention(capacity: window, heads: heads, headWidth: headWidth, lanes: lanes)
        {
            attention = .quantized(memory)
        } else {
            attention = .exact(try KeyValueCache(capacity: window, kvHeads: heads, headWidth: headWidth))
        }
    }

    /// Where what comes before the layers begins, and where it ends, in floats.
    private static func offsets(
        _ dimensions: WhisperDimensions
    ) -> (convolved: Int, spectrum: Int, frames: Int, end: Int) {
        let (rows, width) = (2 * dimensions.audioContext + 4, dimensions.width)
        let convolved = dimensions.audioContext * width
        let spectrum = convolved + rows * width
        // Memory is aligned for whole vectors, also where the number of bands is odd.
        let frames = spectrum + (rows * dimensions.mels + 15) / 16 * 16
        return (convolved, spectrum, frames, frames + MelSpectrum.scratchCount)
    }

    /// The floats of scratch memory that an encoder needs.
    static func floatCount(_ dimensions: WhisperDimensions) -> Int {
        let feedForward = dimensions.audioContext * (3 * dimensions.width + dimensions.innerWidth)
        return max(offsets(dimensions).end, feedForward)
    }

    /// The memory for attention, in bytes, which is the encoder's alone.
    static func byteCount(_ dimensions: WhisperDimensions, isExact: Bool, lanes: Int) -> Int {
        let (window, heads) = (dimensions.audioContext, dimensions.audioHeads)
        let headWidth = dimensions.width / heads
        let quantized =
            isExact
            ? nil
            : QuantizedAttention.byteCount(capacity: window, heads: heads, headWidth: headWidth, lanes: lanes)
        return quantized ?? KeyValueCache.byteCount(capacity: window, kvHeads: heads, headWidth: headWidth)
    }

    func rows(_ count: Int) -> Rows {
        let (window, width) = (dimensions.audioContext, dimensions.width)
        precondition(count <= window, "\(count) positions in scratch for \(window)")
        func area(_ index: Int, width columns: Int) -> FloatRows {
            FloatRows(pointer: buffer.floats + index * window * width, count: count, width: columns)
        }
        return Rows(
            hidden: area(0, width: width), normed: area(1, width: width), branch: area(2, width: width),
            queries: area(3, width: width), keys: area(4, width: width), values: area(5, width: width),
            inner: area(3, width: dimensions.innerWidth), quantized: quantized, attention: attention)
    }
}
