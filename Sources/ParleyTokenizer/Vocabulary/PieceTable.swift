// SPDX-License-Identifier: Apache-2.0

/// The number of a string that tokens are merged from: a token's id, or a number beyond them for what is no token.
typealias PieceID = UInt32

/// Byte strings with numbers, found by an open-addressing hash table over flat storage.
///
/// A vocabulary has up to a few hundred thousand of them, and a cold start should not hash each as a `String`.
struct PieceTable: Sendable {
    private var bytes: [UInt8] = []
    /// Piece `i` is `bytes[offsets[i] ..< offsets[i + 1]]`.
    private var offsets: [Int] = [0]
    /// Upper half: the hash's upper half; lower half: the piece's number plus one, 0 where the slot is free.
    private var slots: [UInt64]
    private var mask: Int

    /// The length of the longest piece in bytes.
    private(set) var maximumLength = 0

    /// How many pieces there are.
    var count: Int { offsets.count - 1 }

    init(expectedCount: Int) {
        bytes.reserveCapacity(expectedCount * 8)
        offsets.reserveCapacity(expectedCount + 1)
        let capacity = max(16, (expectedCount * 3 / 2).roundedUpToPowerOfTwo)
        slots = [UInt64](repeating: 0, count: capacity)
        mask = capacity - 1
    }

    /// The bytes of a piece.
    subscript(id: PieceID) -> ArraySlice<UInt8> {
        bytes[offsets[Int(id)]..<offsets[Int(id) + 1]]
    }

    /// Adds a piece under the next number. Where there is one of the same bytes, the new one is found in its stead.
    @discardableResult
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) -> PieceID {
        insert(text, hash: Self.hash(text))
    }

    /// The piece of these bytes, added if there is none.
    mutating func intern(_ text: UnsafeBufferPointer<UInt8>) -> PieceID {
        let hash = Self.hash(text)
        if case .taken(let id) = slot(of: text, hash: hash).state { return id }
        return insert(text, hash: hash)
    }

    /// The piece of these bytes, if there is one.
    func find(_ text: UnsafeBufferPointer<UInt8>) -> PieceID? {
        if text.count > maximumLength { return nil }
        guard case .taken(let id) = slot(of: text, hash: Self.hash(text)).state else { return nil }
        return id
    }

    /// The piece of these bytes, if there is one.
    func find(_ text: some Sequence<UInt8>) -> PieceID? {
        let found = text.withContiguousStorageIfAvailable { find($0) }
        return found ?? Array(text).withUnsafeBufferPointer { find($0) }
    }

    private enum SlotState { case free, taken(PieceID) }

    private func slot(of text: UnsafeBufferPointer<UInt8>, hash: UInt64) -> (index: Int, state: SlotState) {
        var index = Int(truncatingIfNeeded: hash) & mask
        while slots[index] != 0 {
            let entry = slots[index]
            let id = PieceID(truncatingIfNeeded: entry) &- 1
            if entry >> 32 == hash >> 32, isEqual(id, text) { return (index, .taken(id)) }
            index = (index + 1) & mask
        }
        return (index, .free)
    }

    private func isEqual(_ id: PieceID, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = offsets[Int(id)]
        guard offsets[Int(id) + 1] - start == text.count else { return false }
        for index in 0..<text.count where bytes[start + index] != text[index] { return false }
        return true
    }

    private mutating func insert(_ text: UnsafeBufferPointer<UInt8>, hash: UInt64) -> PieceID {
        if count * 3 >= slots.count * 2 { grow() }
        let id = PieceID(count)
        let index = slot(of: text, hash: hash).index
        slots[index] = hash & ~0xFFFF_FFFF | UInt64(id &+ 1)
        bytes.append(contentsOf: text)
        offsets.append(bytes.count)
        maximumLength = max(maximumLength, text.count)
        return id
    }

    private mutating func grow() {
        let ids = slots.filter { $0 != 0 }.map { PieceID(truncatingIfNeeded: $0) &- 1 }
        slots = [UInt64](repeating: 0, count: slots.count * 2)
        mask = slots.count - 1
        for id in ids {
            self[id].withUnsafeBufferPointer { text in
                let hash = Self.hash(text)
                slots[slot(of: text, hash: hash).index] = hash & ~0xFFFF_FFFF | UInt64(id &+ 1)
            }
        }
    }

    /// FNV-1a with its halves mixed, for the table uses the low bits and the check the high ones.
    private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
        return hash ^ hash >> 29
    }
}

extension Int {
    /// The least power of two that is not smaller.
    var roundedUpToPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
