// SPDX-License-Identifier: Apache-2.0

/// The number of a string in merging: a token's id, or a larger number for a string that is not a token.
typealias PieceID = UInt32

/// Numbered byte strings with an open-addressing hash table over flat storage.
///
/// A vocabulary has up to a few hundred thousand strings, and hashing each as a `String` would slow loading down. A
/// lookup costs one or two cache misses, so a slot contains all of a short string.
struct PieceTable: Sendable {
    private struct Slot {
        /// The first eight bytes, the first lowest; zeros where there are fewer.
        var head: UInt64 = 0
        var length: UInt32 = 0
        var id: PieceID = .max
        var isFree: Bool { id == .max }
    }

    private var bytes: [UInt8] = []
    /// Piece `i` is `bytes[offsets[i] ..< offsets[i + 1]]`.
    private var offsets: [Int] = [0]
    private var slots: [Slot]
    private var mask: Int

    /// The length of the longest piece in bytes.
    private(set) var maximumLength = 0

    /// The number of slots that were probed to add pieces; see ``HashEffort``.
    private var effort = HashEffort()

    /// Whether pieces collide so often that the file must have been constructed for it.
    var isOverloaded: Bool { effort.isExcessive(for: count) }

    /// How many pieces there are.
    var count: Int { offsets.count - 1 }

    init(expectedCount: Int) {
        bytes.reserveCapacity(expectedCount * 8)
        offsets.reserveCapacity(expectedCount + 1)
        let capacity = max(16, (expectedCount * 3 / 2).roundedUpToPowerOfTwo)
        slots = [Slot](repeating: Slot(), count: capacity)
        mask = capacity - 1
    }

    /// The bytes of a piece.
    subscript(id: PieceID) -> ArraySlice<UInt8> {
        bytes[offsets[Int(id)]..<offsets[Int(id) + 1]]
    }

    /// Adds a piece with the next number. Searches then find it instead of an earlier one with the same bytes.
    @discardableResult
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) -> PieceID {
        insert(text, at: slotIndex(of: text))
    }

    /// The piece of these bytes, added if there is none. If it is `guess`, no search is needed.
    mutating func intern(_ text: UnsafeBufferPointer<UInt8>, guess: PieceID = .max) -> PieceID {
        if Int(guess) < count, self[guess].elementsEqual(text) { return guess }
        let index = slotIndex(of: text)
        return slots[index].isFree ? insert(text, at: index) : slots[index].id
    }

    /// The piece of these bytes, if there is one.
    func find(_ text: UnsafeBufferPointer<UInt8>) -> PieceID? {
        if text.count > maximumLength { return nil }
        let slot = slots[slotIndex(of: text)]
        return slot.isFree ? nil : slot.id
    }

    /// The piece of these bytes, if there is one.
    func find(_ text: some Sequence<UInt8>) -> PieceID? {
        let found = text.withContiguousStorageIfAvailable { find($0) }
        return found ?? Array(text).withUnsafeBufferPointer { find($0) }
    }

    /// The slot of these bytes, or the free one where they belong.
    private func slotIndex(of text: UnsafeBufferPointer<UInt8>) -> Int {
        let head = Self.word(of: text, at: 0)
        var index = Self.hash(text, head: head) & mask
        while true {
            let slot = slots[index]
            if slot.isFree { return index }
            if slot.head == head, Int(slot.length) == text.count,
                text.count <= 8 || self[slot.id].dropFirst(8).elementsEqual(text[8...])
            {
                return index
            }
            index = (index + 1) & mask
        }
    }

    private mutating func insert(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> PieceID {
        let id = PieceID(count)
        slots[index] = Slot(head: Self.word(of: text, at: 0), length: UInt32(text.count), id: id)
        effort.add((index &- Self.hash(text, head: slots[index].head)) & mask)
        bytes.append(contentsOf: text)
        offsets.append(bytes.count)
        maximumLength = max(maximumLength, text.count)
        if count * 4 >= slots.count * 3 { grow() }
        return id
    }

    private mutating func grow() {
        let old = slots.filter { !$0.isFree }
        slots = [Slot](repeating: Slot(), count: slots.count * 2)
        mask = slots.count - 1
        for slot in old {
            let index = self[slot.id].withUnsafeBufferPointer { slotIndex(of: $0) }
            slots[index] = slot
        }
    }

    /// Up to eight bytes from `start` on.
    @inline(__always)
    private static func word(of text: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt64 {
        let count = text.count - start
        if count >= 8 {
            return UInt64(
                littleEndian: UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
        var word: UInt64 = 0
        for index in 0..<count { word |= UInt64(text[start + index]) << UInt64(8 * index) }
        return word
    }

    @inline(__always)
    private static func hash(_ text: UnsafeBufferPointer<UInt8>, head: UInt64) -> Int {
        var hash = (head ^ UInt64(truncatingIfNeeded: text.count)) &* 0x9E37_79B9_7F4A_7C15
        for start in stride(from: 8, to: text.count, by: 8) {
            hash = (hash ^ hash >> 32 ^ word(of: text, at: start)) &* 0xD6E8_FEB8_6659_FD93
        }
        // A difference in the last bytes has only affected the highest bits so far.
        hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}

/// The cost of filling a hash table: the number of slots probed after the first one.
///
/// It is small for any normal vocabulary. One constructed so that all entries collide would take quadratic time, and is
/// refused.
struct HashEffort: Sendable {
    private var slots = 0

    mutating func add(_ distance: Int) { slots += distance }

    /// Whether the cost is out of proportion to the number of entries.
    func isExcessive(for count: Int) -> Bool { slots > 1 << 22 && slots / 64 > count }
}

extension Int {
    /// The smallest power of two that is not less than this number.
    var roundedUpToPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
