// SPDX-License-Identifier: Apache-2.0

/// The result of merging two adjacent pieces.
struct Merge: Sendable {
    /// Lower ranks merge first.
    var rank: UInt32
    var piece: PieceID
}

/// The merges of a byte pair encoding, by pair: an open-addressing hash table in one flat array.
struct MergeTable: Sendable {
    private struct Slot {
        var left: PieceID = .max
        var right: PieceID = .max
        var merge = Merge(rank: .max, piece: .max)
        var isFree: Bool { merge.rank == .max }
    }

    private var slots: [Slot]
    private let mask: Int
    private var count = 0
    private var effort = HashEffort()

    /// - Parameter capacity: How many merges will be inserted at most.
    init(capacity: Int) {
        let size = max(16, (capacity * 3 / 2).roundedUpToPowerOfTwo)
        slots = [Slot](repeating: Slot(), count: size)
        mask = size - 1
    }

    /// The result of merging a pair; nil if it does not merge.
    @inline(__always)
    subscript(left: PieceID, right: PieceID) -> Merge? {
        let slot = slots[index(of: left, right)]
        return slot.isFree ? nil : slot.merge
    }

    /// Whether merges collide so often that the file must have been constructed for it.
    var isOverloaded: Bool { effort.isExcessive(for: count) }

    /// Adds a merge. Of several for the same pair, the first one is kept.
    mutating func insert(_ left: PieceID, _ right: PieceID, _ merge: Merge) {
        let index = index(of: left, right)
        count += 1
        effort.add((index &- place(of: left, right)) & mask)
        if slots[index].isFree { slots[index] = Slot(left: left, right: right, merge: merge) }
    }

    @inline(__always)
    private func index(of left: PieceID, _ right: PieceID) -> Int {
        var index = place(of: left, right)
        while !slots[index].isFree, slots[index].left != left || slots[index].right != right {
            index = (index + 1) & mask
        }
        return index
    }

    /// The slot where the search for a pair begins.
    @inline(__always)
    private func place(of left: PieceID, _ right: PieceID) -> Int {
        let hash = (UInt64(left) << 32 | UInt64(right)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
    }
}
