// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// The memory in which a model computes, allocated once.
///
/// What is computed of a window passes one stage after the other: its spectrum and the convolutions, the encoder's layers,
/// the decoder's view of their states, and then the text. Each stage lays its areas out in the same memory, and writes
/// over what the stage before it has finished; only the encoder's states, which stand at the beginning, pass from the
/// layers to the decoder's view.
final class ScratchMemory: Sendable {
    /// The floats of all stages.
    let floats: AlignedBuffer
    /// Rows of activations in 8 bits.
    let quantized: QuantizedRows

    init(_ dimensions: WhisperDimensions, lanes: Int) throws(AllocationError) {
        floats = try AlignedBuffer(byteCount: Self.floatCount(dimensions, lanes: lanes) * MemoryLayout<Float>.stride)
        let (rows, columns) = Self.quantizedSize(dimensions)
        quantized = try QuantizedRows(count: rows, columns: columns, for: .groups)
    }

    /// The memory that ``init(_:lanes:)`` allocates, in bytes.
    static func byteCount(_ dimensions: WhisperDimensions, lanes: Int) -> Int {
        let (rows, columns) = quantizedSize(dimensions)
        return floatCount(dimensions, lanes: lanes) * MemoryLayout<Float>.stride
            + QuantizedRows.byteCount(count: rows, columns: columns, for: .groups)
    }

    private static func floatCount(_ dimensions: WhisperDimensions, lanes: Int) -> Int {
        max(EncoderMemory.floatCount(dimensions), DecoderMemory.floatCount(dimensions, lanes: lanes))
    }

    private static func quantizedSize(_ dimensions: WhisperDimensions) -> (rows: Int, columns: Int) {
        (max(dimensions.audioContext, dimensions.textContext), dimensions.innerWidth)
    }
}
