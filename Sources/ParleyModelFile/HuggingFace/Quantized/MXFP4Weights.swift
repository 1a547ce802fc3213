// SPDX-License-Identifier: Apache-2.0

/// The matrices of experts in floats of 4 bits (E2M1), of which 32 neighbours share a power of two, as gpt-oss has them.
///
/// GGUF's MXFP4 has the same numbers; only the order within a block differs: here a byte has two neighbours, there the
/// first half of a block is in the low halves of its bytes. See
/// <https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf>.
struct MXFP4Weights: PackedWeights {
    let matrices: Int
    let rows: Int
    let columns: Int
    let type = TensorType.mxfp4
    private let blocks: SafetensorsTensor
    private let scales: SafetensorsTensor

    /// - Throws: ``ModelFileError`` if the tensors do not belong together.
    init(_ blocks: SafetensorsTensor, scales: SafetensorsTensor, in file: SafetensorsFile) throws(ModelFileError) {
        guard blocks.type == .u8, blocks.shape.count == 4, blocks.shape[3] == 16, blocks.elementCount > 0 else {
            throw file.wrongShape(blocks)
        }
        guard scales.type == .u8, scales.shape == Array(blocks.shape.dropLast()) else { throw file.wrongShape(scales) }
        (self.blocks, self.scales) = (blocks, scales)
        matrices = blocks.shape[0]
        rows = blocks.shape[0] * blocks.shape[1]
        columns = blocks.shape[2] * 32
    }

    var parts: [SafetensorsTensor] { [blocks, scales] }

    func write(
        _ rows: Range<Int>, from file: SafetensorsFile, to place: (Int) -> UnsafeMutableRawBufferPointer
    ) throws {
        let perRow = columns / 32
        try file.withBytes(of: blocks) { blocks in
            try file.withBytes(of: scales) { scales in
                for row in rows {
                    let target = place(row)
                    for number in 0..<perRow {
                        let block = row * perRow + number
                        // The one scale that is no number.
                        guard scales[block] != 255 else { throw file.notFinite(self.scales) }
                        let made = number * TensorType.mxfp4.blockBytes
                        target[made] = scales[block]
                        for pair in 0..<8 {
                            let (low, high) = (blocks[block * 16 + pair], blocks[block * 16 + pair + 8])
                            target[made + 1 + 2 * pair] = low & 15 | high << 4
                            target[made + 2 + 2 * pair] = low >> 4 | high & 0xF0
                        }
                    }
                }
            }
        }
    }
}
