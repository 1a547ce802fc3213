// SPDX-License-Identifier: Apache-2.0

/// A matrix of floats of 8 bits (E4M3), of which blocks, rows or the whole share a scale.
///
/// A weight is `scale · float`. It is given on as Q8_0, which rounds by at most 1/254 of the largest of 32 neighbours; the
/// floats themselves are rounded by up to 1/16. See <https://arxiv.org/abs/2209.05433>.
struct FP8Weights: PackedWeights {
    let rows: Int
    let columns: Int
    let type: TensorType
    private let floats: SafetensorsTensor
    private let scales: SafetensorsTensor
    private let block: FolderQuantization.FP8Block

    /// - Throws: ``ModelFileError`` if the tensors do not belong together.
    init(
        _ floats: SafetensorsTensor, scales: SafetensorsTensor, block: FolderQuantization.FP8Block?,
        in file: SafetensorsFile
    ) throws(ModelFileError) {
        guard floats.type == .f8E4M3, floats.shape.count == 2, floats.elementCount > 0 else {
            throw file.wrongShape(floats)
        }
        (rows, columns) = (floats.shape[0], floats.shape[1])
        guard scales.isFloat else { throw file.wrongShape(scales) }
        if scales.elementCount == 1 {
            self.block = .init(rows: rows, columns: columns)
        } else if scales.shape == [rows, 1] || scales.shape == [rows] {
            self.block = .init(rows: 1, columns: columns)
        } else {
            guard let block else { throw file.wrongShape(scales) }
            self.block = block
            let shape = [(rows + block.rows - 1) / block.rows, (columns + block.columns - 1) / block.columns]
            guard scales.shape == shape else { throw file.wrongShape(scales) }
        }
        self.floats = floats
        self.scales = scales
        type = columns.isMultiple(of: 32) ? .q8_0 : .f16
    }

    var parts: [SafetensorsTensor] { [floats, scales] }

    func write(
        _ rows: Range<Int>, from file: SafetensorsFile, to place: (Int) -> UnsafeMutableRawBufferPointer
    ) throws {
        let perRow = (columns + block.columns - 1) / block.columns
        let blocks = rows.lowerBound / block.rows..<(rows.upperBound - 1) / block.rows + 1
        let scales = try file.floats(of: scales, blocks.lowerBound * perRow..<blocks.upperBound * perRow)
        var numbers = [Float](repeating: 0, count: columns)
        try file.withBytes(of: floats) { bytes in
            for row in rows {
                var isFinite = true
                for part in 0..<perRow {
                    let scale = scales[(row / block.rows - blocks.lowerBound) * perRow + part]
                    for column in part * block.columns..<min((part + 1) * block.columns, columns) {
                        let number = Self.values[Int(bytes[row * columns + column])] * scale
                        isFinite = isFinite && number.isFinite
                        numbers[column] = number
                    }
                }
                guard isFinite else { throw file.notFinite(floats) }
                _ = numbers.withUnsafeBufferPointer { type.encode($0, into: place(row)) }
            }
        }
    }

    /// The values of all bytes: a sign, four bits of exponent, three of fraction; no infinity, and one NaN of each sign.
    static let values: [Float] = (0..<256).map { byte in
        let (exponent, fraction) = (byte >> 3 & 15, Float(byte & 7))
        let magnitude: Float =
            byte & 127 == 127
            ? .nan
            : exponent == 0
                ? fraction * 0x1p-9
                : Float(sign: .plus, exponent: exponent - 7, significand: 1 + fraction / 8)
        return byte < 128 ? magnitude : -magnitude
    }
}
