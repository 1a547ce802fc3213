// SPDX-License-Identifier: Apache-2.0

/// Some rows of numbers `scale · level + minimum`, where groups of a row's columns share a scale and a minimum.
struct GroupedRows {
    /// The number of columns.
    let columns: Int
    /// The number of groups of a row.
    let groups: Int
    /// The number of neighbouring columns of a group; nil where ``order`` says which columns belong together.
    let groupSize: Int?
    /// The group of each column.
    let order: [Int32]
    /// The levels: `[rows, columns]`.
    var levels: [UInt8]
    /// The scales: `[rows, groups]`.
    var scales: [Float]
    /// What is added: `[rows, groups]`.
    var minimums: [Float]

    /// Makes room for rows.
    init(rows: Int, columns: Int, groupSize: Int) {
        self.init(rows: rows, columns: columns, groups: (columns + groupSize - 1) / groupSize, groupSize: groupSize)
    }

    /// Makes room for rows whose columns belong to groups in any order.
    init(rows: Int, order: [Int32], groups: Int) {
        self.init(rows: rows, columns: order.count, groups: groups, groupSize: nil, order: order)
    }

    private init(rows: Int, columns: Int, groups: Int, groupSize: Int?, order: [Int32] = []) {
        self.columns = columns
        self.groups = groups
        self.groupSize = groupSize
        self.order = order
        levels = Array(repeating: 0, count: rows * columns)
        scales = Array(repeating: 0, count: rows * groups)
        minimums = Array(repeating: 0, count: rows * groups)
    }

    /// Whether all blocks of a type with a scale and a minimum have those of one group.
    static func fitsBlocks(columns: Int, groupSize: Int?) -> Bool {
        guard let groupSize else { return false }
        return columns.isMultiple(of: 32) && (groupSize.isMultiple(of: 32) || groupSize >= columns)
    }

    /// Writes a row in a type.
    ///
    /// Q4_0, Q4_1 and Q5_1 take the levels as they are, and round the scale and the minimum to halves, which most files
    /// have them in; Q4_0 is for groups whose minimum is -8 scales. Q8_0 takes the levels as they are where their
    /// distance from zero is known and fits, and otherwise rounds the numbers, as do all other types.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - type: the type, for which ``fitsBlocks(columns:groupSize:)`` holds, unless its scales do not matter.
    ///   - bytes: receives the row.
    /// - Returns: false if a number, or a scale in this type, is not finite.
    func write(_ row: Int, as type: TensorType, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        switch type {
        case .q4_0, .q4_1, .q5_1: writeLevels(row, as: type, into: bytes)
        case .q8_0: writeWhole(row, into: bytes)
        default: writeNumbers(row, row * columns..<(row + 1) * columns, as: type, into: bytes)
        }
    }

    private func group(of column: Int) -> Int { groupSize.map { column / $0 } ?? Int(order[column]) }

    private func writeLevels(_ row: Int, as type: TensorType, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        var isFinite = true
        levels.withUnsafeBufferPointer { levels in
            for block in 0..<columns / 32 {
                let group = row * groups + group(of: block * 32)
                let start = block * type.blockBytes
                let scale = TensorType.half(scales[group])
                let minimum = TensorType.half(minimums[group])
                isFinite = isFinite && (scale & 0x7C00) != 0x7C00 && (minimum & 0x7C00) != 0x7C00
                bytes.storeBytes(of: scale.littleEndian, toByteOffset: start, as: UInt16.self)
                if type != .q4_0 {
                    bytes.storeBytes(of: minimum.littleEndian, toByteOffset: start + 2, as: UInt16.self)
                }
                let place = start + (type == .q4_0 ? 2 : type == .q4_1 ? 4 : 8)
                let first = row * columns + block * 32
                var fifth: UInt32 = 0
                for index in 0..<16 {
                    let low = levels[first + index]
                    let high = levels[first + index + 16]
                    bytes[place + index] = low & 15 | (high & 15) << 4
                    fifth |= UInt32(low >> 4) << UInt32(index) | UInt32(high >> 4) << UInt32(index + 16)
                }
                if type == .q5_1 {
                    bytes.storeBytes(of: fifth.littleEndian, toByteOffset: start + 4, as: UInt32.self)
                }
            }
        }
        return isFinite
    }

    /// Writes Q8_0: whole multiples of the scale where the numbers are such.
    private func writeWhole(_ row: Int, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        var isFinite = true
        for block in 0..<columns / 32 {
            let first = row * columns + block * 32
            let start = block * TensorType.q8_0.blockBytes
            let place = UnsafeMutableRawBufferPointer(
                rebasing: bytes[start..<start + TensorType.q8_0.blockBytes])
            if let offset = wholeOffset(of: block, row) {
                let scale = TensorType.half(scales[row * groups + group(of: block * 32)])
                place.storeBytes(of: scale.littleEndian, as: UInt16.self)
                for index in 0..<32 {
                    place[2 + index] = UInt8(truncatingIfNeeded: Int(levels[first + index]) + offset)
                }
            } else {
                isFinite = writeNumbers(row, first..<first + 32, as: .q8_0, into: place) && isFinite
            }
        }
        return isFinite
    }

    /// What is added to the levels of a block so that they are its numbers divided by the scale; nil if that is no whole
    /// number, or the sums have more than 8 bits.
    private func wholeOffset(of block: Int, _ row: Int) -> Int? {
        guard Self.fitsBlocks(columns: columns, groupSize: groupSize) else { return nil }
        let group = row * groups + group(of: block * 32)
        let (scale, minimum) = (scales[group], minimums[group])
        let quotient = (minimum / scale).rounded()
        guard abs(quotient) <= 255, quotient * scale == minimum, Float(half: TensorType.half(scale)) == scale
        else { return nil }
        let offset = Int(quotient)
        let first = row * columns + block * 32
        return levels[first..<first + 32].allSatisfy { abs(Int($0) + offset) <= 127 } ? offset : nil
    }

    /// Writes numbers, rounded as the type does it.
    private func writeNumbers(
        _ row: Int, _ places: Range<Int>, as type: TensorType, into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let numbers = places.map { place in
            let group = row * groups + group(of: place - row * columns)
            return scales[group] * Float(levels[place]) + minimums[group]
        }
        return numbers.allSatisfy(\.isFinite) && numbers.withUnsafeBufferPointer { type.encode($0, into: bytes) }
    }
}
