// SPDX-License-Identifier: Apache-2.0

/// A matrix in the form of GPTQ or AWQ: levels in words of 32 bits, of which groups of columns share a scale and a zero.
///
/// A weight is `scale · (level - zero)`. Both store the matrix the other way round: columns are what inputs are here.
/// GPTQ's words hold neighbouring columns, AWQ's rows, in an order of its own. Levels of 4 bits are given on as they
/// are: as Q4_0 where all zeros are 8, which is exact; otherwise as Q4_1, whose minimum, `-scale · zero`, is rounded to a
/// half, by at most 1/256 of a scale. Where the columns of a group are scattered (`g_idx`) no type has the scales, and
/// the numbers are rounded to Q8_0, as are levels of 8 bits whose zeros are not in the middle.
struct TransposedWeights: PackedWeights {
    /// How levels lie in words.
    enum Packing: Sendable, Hashable {
        case gptq(bits: Int, addsOne: Bool)
        case awq
    }

    /// The tensors of a matrix.
    struct Tensors: Sendable {
        var levels: SafetensorsTensor
        var zeros: SafetensorsTensor
        var scales: SafetensorsTensor
        /// The group of each column.
        var order: SafetensorsTensor?
    }

    let rows: Int
    let columns: Int
    let type: TensorType
    private let packing: Packing
    private let tensors: Tensors
    private let groupSize: Int
    private let groups: Int
    /// The group of each column; empty where they are in order.
    private let order: [Int32]

    /// - Throws: ``ModelFileError`` if the tensors do not belong together.
    init(
        _ tensors: Tensors, _ packing: Packing, groupSize: Int?, in file: SafetensorsFile
    ) throws(ModelFileError) {
        let (levels, zeros, scales) = (tensors.levels, tensors.zeros, tensors.scales)
        let perWord: Int = if case .gptq(let bits, _) = packing { 32 / bits } else { 8 }
        guard levels.isWords, levels.shape.count == 2, levels.elementCount > 0 else { throw file.wrongShape(levels) }
        let isAlongColumns = packing != .awq
        columns = levels.shape[0] * (isAlongColumns ? perWord : 1)
        rows = levels.shape[1] * (isAlongColumns ? 1 : perWord)
        self.groupSize = groupSize ?? columns
        let count = (columns + self.groupSize - 1) / self.groupSize
        groups = count
        guard scales.isFloat, scales.shape == [count, rows] else { throw file.wrongShape(scales) }
        guard zeros.isWords, rows.isMultiple(of: perWord), zeros.shape == [count, rows / perWord] else {
            throw file.wrongShape(zeros)
        }
        if let order = tensors.order, !(order.isWords && order.shape == [columns]) { throw file.wrongShape(order) }
        self.packing = packing
        self.tensors = tensors
        do {
            let order = tensors.order.flatMap { file.hasData(of: $0) ? $0 : nil }
            let found = try order.map { try file.words(of: $0).map { Int32(bitPattern: $0) } } ?? []
            guard found.allSatisfy({ (0..<Int32(clamping: count)).contains($0) }) else {
                throw ModelFileError(
                    .invalidValue,
                    "\(file.name): the tensor \(tensors.order?.name ?? "") names a group that there is not. Download the "
                        + "files again.")
            }
            let size = self.groupSize
            self.order = found.enumerated().allSatisfy { $1 == Int32($0 / size) } ? [] : found
            let fits = self.order.isEmpty && GroupedRows.fitsBlocks(columns: columns, groupSize: size)
            if perWord == 8, fits {
                // Before a folder is fetched, the larger one counts.
                type = try file.hasData(of: zeros) && Self.hasMiddleZeros(zeros, packing, in: file) ? .q4_0 : .q4_1
            } else {
                type = columns.isMultiple(of: 32) ? .q8_0 : .f16
            }
        } catch {
            throw error as? ModelFileError ?? file.wrongShape(levels)
        }
    }

    var parts: [SafetensorsTensor] { [tensors.levels, tensors.zeros, tensors.scales] }

    /// Whether all zeros are 8, of which the file may store one less.
    private static func hasMiddleZeros(
        _ zeros: SafetensorsTensor, _ packing: Packing, in file: SafetensorsFile
    ) throws -> Bool {
        let word: UInt32 = if case .gptq(_, true) = packing { 0x7777_7777 } else { 0x8888_8888 }
        return try file.withBytes(of: zeros) { bytes in (0..<bytes.count / 4).allSatisfy { bytes.word($0) == word } }
    }

    func write(
        _ rows: Range<Int>, from file: SafetensorsFile, to place: (Int) -> UnsafeMutableRawBufferPointer
    ) throws {
        var made =
            order.isEmpty
            ? GroupedRows(rows: rows.count, columns: columns, groupSize: groupSize)
            : GroupedRows(rows: rows.count, order: order, groups: groups)
        try readScales(rows, from: file, into: &made)
        try file.withBytes(of: tensors.levels) { bytes in
            made.levels.withUnsafeMutableBufferPointer { levels in
                switch packing {
                case .gptq(let bits, _): unpackColumns(bytes, bits, rows, into: levels)
                case .awq: unpackRows(bytes, rows, into: levels)
                }
            }
        }
        for (index, row) in rows.enumerated() where !made.write(index, as: type, into: place(row)) {
            throw file.notFinite(tensors.scales)
        }
    }

    private func readScales(_ rows: Range<Int>, from file: SafetensorsFile, into made: inout GroupedRows) throws {
        let zeros = try file.withBytes(of: tensors.zeros) { bytes in
            (0..<groups).flatMap { group in rows.map { zero(of: $0, group, bytes) } }
        }
        try file.withBytes(of: tensors.scales) { bytes in
            let width = tensors.scales.type.byteCount
            for group in 0..<groups {
                let start = (group * self.rows + rows.lowerBound) * width
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + rows.count * width])
                FloatValues(part, type: tensors.scales.type).forEach { index, scale in
                    made.scales[index * groups + group] = scale
                    made.minimums[index * groups + group] = -scale * Float(zeros[group * rows.count + index])
                }
            }
        }
    }

    private func zero(of row: Int, _ group: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        switch packing {
        case .gptq(let bits, let addsOne):
            let perWord = 32 / bits
            let word = bytes.word(group * (rows / perWord) + row / perWord) >> UInt32(row % perWord * bits)
            // The highest number stands for 0, as in AutoGPTQ.
            return Int((word &+ (addsOne ? 1 : 0)) & (1 << UInt32(bits) - 1))
        case .awq:
            return Int(bytes.word(group * (rows / 8) + row / 8) >> Self.shifts[row % 8] & 15)
        }
    }

    /// Where a row of eight lies in one of AWQ's words: 0, 2, 4, 6, 1, 3, 5, 7 from the lowest bits.
    private static let shifts: [UInt32] = [0, 16, 4, 20, 8, 24, 12, 28]

    private func unpackColumns(
        _ bytes: UnsafeRawBufferPointer, _ bits: Int, _ rows: Range<Int>, into levels: UnsafeMutableBufferPointer<UInt8>
    ) {
        let perWord = 32 / bits
        let mask = UInt32(1) << UInt32(bits) - 1
        for words in 0..<columns / perWord {
            for (index, row) in rows.enumerated() {
                let word = bytes.word(words * self.rows + row)
                for part in 0..<perWord {
                    levels[index * columns + words * perWord + part] = UInt8(
                        truncatingIfNeeded: word >> UInt32(part * bits) & mask)
                }
            }
        }
    }

    private func unpackRows(
        _ bytes: UnsafeRawBufferPointer, _ rows: Range<Int>, into levels: UnsafeMutableBufferPointer<UInt8>
    ) {
        for column in 0..<columns {
            for (index, row) in rows.enumerated() {
                let word = bytes.word(column * (self.rows / 8) + row / 8)
                levels[index * columns + column] = UInt8(truncatingIfNeeded: word >> Self.shifts[row % 8] & 15)
            }
        }
    }
}
