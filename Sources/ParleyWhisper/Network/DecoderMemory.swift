// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// How a decoder divides the model's scratch memory.
final class DecoderMemory {
    /// The most rows whose logits are computed together.
    static let logitRows = 8

    let quantized: QuantizedRows
    private let dimensions: WhisperDimensions
    private let buffer: AlignedBuffer

    init(_ dimensions: WhisperDimensions, scratch: ScratchMemory) {
        (self.dimensions, buffer, quantized) = (dimensions, scratch.floats, scratch.quantized)
    }

    /// The floats of scratch memory that a decoder needs.
    static func floatCount(_ dimensions: WhisperDimensions, lanes: Int) -> Int {
        let own = lanes * 3 * Lane.privateRows * dimensions.width
        return max(ownOffset(dimensions) + own, 3 * dimensions.audioContext * dimensions.width)
    }

    /// How keys and values of the sound are stored. Every token reads all of them.
    static func soundFormat(isExact: Bool) -> CacheFormat { isExact ? .f16 : .q8_0 }

    /// The memory of the layers' keys and values of a text, in bytes.
    static func textByteCount(_ dimensions: WhisperDimensions) -> Int {
        let (heads, headWidth) = (dimensions.textHeads, dimensions.width / dimensions.textHeads)
        return dimensions.textLayers
            * KeyValueCache.byteCount(capacity: dimensions.textContext, kvHeads: heads, headWidth: headWidth)
    }

    /// The memory of the layers' keys and values, in bytes, which is the decoder's alone.
    static func byteCount(_ dimensions: WhisperDimensions, isExact: Bool) -> Int {
        let (heads, headWidth) = (dimensions.textHeads, dimensions.width / dimensions.textHeads)
        let sound = KeyValueCache.byteCount(
            capacity: dimensions.audioContext, kvHeads: heads, headWidth: headWidth,
            format: soundFormat(isExact: isExact))
        return textByteCount(dimensions) + dimensions.textLayers * sound
    }

    // The logits come first, then the areas of a text, and then those that each lane has for itself.
    private static func textOffset(_ dimensions: WhisperDimensions) -> Int {
        (logitRows * dimensions.vocabularySize + 15) / 16 * 16
    }
    private static func ownOffset(_ dimensions: WhisperDimensions) -> Int {
        textOffset(dimensions) + dimensions.textContext * (8 * dimensions.width + dimensions.innerWidth)
    }

    /// The hidden state; if there are only a few rows, each lane has its own copy.
    func hidden(_ count: Int, lane: Int) -> FloatRows { area(0, count, lane) }
    /// The input of a branch; each lane has its own copy whenever it has one of the hidden state.
    func normed(_ count: Int, lane: Int) -> FloatRows { area(1, count, lane) }
    /// The rows whose logits are computed.
    func selected(_ count: Int, lane: Int, isShared: Bool) -> FloatRows {
        isShared ? area(2, count) : area(2, count, lane)
    }
    func branch(_ count: Int) -> FloatRows { area(3, count) }
    func mixed(_ count: Int) -> FloatRows { area(4, count) }
    func queries(_ count: Int) -> FloatRows { area(5, count) }
    func keys(_ count: Int) -> FloatRows { area(6, count) }
    func values(_ count: Int) -> FloatRows { area(7, count) }
    func inner(_ count: Int) -> FloatRows {
        FloatRows(
            pointer: buffer.floats + Self.textOffset(dimensions) + 8 * dimensions.textContext * dimensions.width,
            count: count, width: dimensions.innerWidth)
    }
    func logits(_ count: Int) -> FloatRows {
        FloatRows(pointer: buffer.floats, count: count, width: dimensions.vocabularySize)
    }
    /// Keys and values of the sound, of one layer. They lie behind the encoder's states, of which they are computed.
    func sound(_ count: Int) -> (FloatRows, FloatRows) {
        let area = dimensions.audioContext * dimensions.width
        func rows(_ index: Int) -> FloatRows {
            FloatRows(pointer: buffer.floats + index * area, count: count, width: dimensions.width)
        }
        return (rows(1), rows(2))
    }

    private func area(_ index: Int, _ count: Int) -> FloatRows {
        precondition(count <= dimensions.textContext, "\(count) rows in scratch for \(dimensions.textContext)")
        return FloatRows(
            pointer: buffer.floats + Self.textOffset(dimensions) + index * dimensions.textContext * dimensions.width,
            count: count, width: dimensions.width)
    }

    private func area(_ index: Int, _ count: Int, _ lane: Int) -> FloatRows {
        guard count <= Lane.privateRows else { return area(index, count) }
        let offset = (lane * 3 + index) * Lane.privateRows * dimensions.width
        return FloatRows(
            pointer: buffer.floats + Self.ownOffset(dimensions) + offset, count: count, width: dimensions.width,
            isPrivate: true)
    }
}
