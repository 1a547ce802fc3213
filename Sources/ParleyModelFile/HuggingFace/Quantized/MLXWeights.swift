// SPDX-License-Identifier: Apache-2.0

/// A matrix in the form of MLX, or those of all experts: each row is a stream of levels, of which groups share a scale
/// and a bias.
///
/// A weight is `scale · level + bias`. Levels of up to 5 bits are given on as they are; those of 6 and 8 bits as Q8_0,
/// which rounds unless the bias is a whole number of scales. See
/// <https://ml-explore.github.io/mlx/build/html/python/_autosummary/mlx.core.quantize.html>.
struct MLXWeights: PackedWeights {
    let matrices: Int
    let rows: Int
    let columns: Int
    let type: TensorType
    private let groups: FolderQuantization.MLXGroups
    private let levels: SafetensorsTensor
    private let scales: SafetensorsTensor
    private let biases: SafetensorsTensor

    /// - Throws: ``ModelFileError`` if the tensors do not belong together.
    init(
        _ levels: SafetensorsTensor, scales: SafetensorsTensor, biases: SafetensorsTensor,
        _ groups: FolderQuantization.MLXGroups, in file: SafetensorsFile
    ) throws(ModelFileError) {
        guard levels.type == .u32, (2...3).contains(levels.shape.count), levels.elementCount > 0,
            let words = levels.shape.last, (words * 32).isMultiple(of: groups.bits)
        else { throw file.wrongShape(levels) }
        matrices = levels.shape.count == 3 ? levels.shape[0] : 1
        rows = levels.elementCount / words
        columns = words * 32 / groups.bits
        guard columns.isMultiple(of: groups.groupSize) else { throw file.wrongShape(levels) }
        for tensor in [scales, biases] {
            guard tensor.isFloat, tensor.shape == Array(levels.shape.dropLast()) + [columns / groups.groupSize] else {
                throw file.wrongShape(tensor)
            }
        }
        (self.groups, self.levels, self.scales, self.biases) = (groups, levels, scales, biases)
        type = groups.bits <= 4 ? .q4_1 : groups.bits == 5 ? .q5_1 : .q8_0
    }

    var parts: [SafetensorsTensor] { [levels, scales, biases] }

    func write(
        _ rows: Range<Int>, from file: SafetensorsFile, to place: (Int) -> UnsafeMutableRawBufferPointer
    ) throws {
        var made = GroupedRows(rows: rows.count, columns: columns, groupSize: groups.groupSize)
        let range = rows.lowerBound * made.groups..<rows.upperBound * made.groups
        made.scales = try file.floats(of: scales, range)
        made.minimums = try file.floats(of: biases, range)
        try file.withBytes(of: levels) { bytes in
            let rowBytes = columns * groups.bits / 8
            made.levels.withUnsafeMutableBufferPointer { levels in
                for (index, row) in rows.enumerated() {
                    let source = UnsafeRawBufferPointer(rebasing: bytes[row * rowBytes..<(row + 1) * rowBytes])
                    unpack(source, into: UnsafeMutableBufferPointer(rebasing: levels[(index * columns)...]))
                }
            }
        }
        for (index, row) in rows.enumerated() where !made.write(index, as: type, into: place(row)) {
            throw file.notFinite(scales)
        }
    }

    /// Takes a stream of levels apart, whose first ones have the lowest bits.
    private func unpack(_ bytes: UnsafeRawBufferPointer, into levels: UnsafeMutableBufferPointer<UInt8>) {
        let bits = groups.bits
        let mask = UInt32(1) << UInt32(bits) - 1
        for column in 0..<columns {
            let (byte, shift) = (column * bits).quotientAndRemainder(dividingBy: 8)
            var stream = UInt32(bytes[byte])
            if shift + bits > 8 { stream |= UInt32(bytes[byte + 1]) << 8 }
            levels[column] = UInt8(truncatingIfNeeded: stream >> UInt32(shift) & mask)
        }
    }
}
