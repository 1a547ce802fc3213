// SPDX-License-Identifier: Apache-2.0

/// Text for pre-tokenizers: its code points and their classes.
struct ClassifiedText {
    private(set) var scalars: [UInt32] = []
    private(set) var classes: [CharacterClass] = []

    /// The code point for a byte that begins no character.
    private static let replacement: UInt32 = 0xFFFD

    /// Replaces the text by `bytes`, read as UTF-8.
    ///
    /// Reading is as lenient as llama.cpp's: overlong forms and surrogates count as the code points they spell, and
    /// each byte that begins no sequence is one replacement character.
    mutating func load(_ bytes: some RandomAccessCollection<UInt8>) {
        let table = CharacterClass.table
        scalars.removeAll(keepingCapacity: true)
        classes.removeAll(keepingCapacity: true)
        scalars.reserveCapacity(bytes.count)
        classes.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let lead = bytes[index]
            bytes.formIndex(after: &index)
            var scalar = UInt32(lead)
            if lead >= 0x80 {
                scalar = Self.replacement
                if let (decoded, end) = Self.sequence(lead, in: bytes, after: index) {
                    scalar = decoded
                    index = end
                }
            }
            scalars.append(scalar)
            classes.append(table[Int(scalar)])
        }
    }

    private static func sequence<Bytes: RandomAccessCollection<UInt8>>(
        _ lead: UInt8, in bytes: Bytes, after start: Bytes.Index
    ) -> (scalar: UInt32, end: Bytes.Index)? {
        let continuations: Int
        var scalar: UInt32
        switch lead {
        case 0xC0..<0xE0: (continuations, scalar) = (1, UInt32(lead & 0x1F))
        case 0xE0..<0xF0: (continuations, scalar) = (2, UInt32(lead & 0x0F))
        case 0xF0..<0xF8: (continuations, scalar) = (3, UInt32(lead & 0x07))
        default: return nil
        }
        var index = start
        for _ in 0..<continuations {
            guard index != bytes.endIndex, bytes[index] & 0xC0 == 0x80 else { return nil }
            scalar = scalar << 6 | UInt32(bytes[index] & 0x3F)
            bytes.formIndex(after: &index)
        }
        return scalar < 0x11_0000 ? (scalar, index) : nil
    }

    /// The class at `index`, or none at `limit` and beyond.
    @inline(__always)
    func characterClass(at index: Int, before limit: Int) -> CharacterClass {
        index < limit ? classes[index] : []
    }

    /// The code point at `index`, or none at `limit` and beyond.
    @inline(__always)
    func scalar(at index: Int, before limit: Int) -> UInt32? {
        index < limit ? scalars[index] : nil
    }

    /// Whether a code point is there and is the ASCII character.
    @inline(__always)
    func `is`(_ character: Unicode.Scalar, at index: Int, before limit: Int) -> Bool {
        index < limit && scalars[index] == character.value
    }

    /// The end of the longest run from `start` whose classes are all among `accepted`.
    @inline(__always)
    func runEnd(of accepted: CharacterClass, from start: Int, before limit: Int) -> Int {
        var index = start
        while index < limit, accepted.contains(classes[index]) { index += 1 }
        return index
    }

    /// Whether a carriage return or a line feed is there.
    @inline(__always)
    func isLineBreak(at index: Int, before limit: Int) -> Bool {
        index < limit && (scalars[index] == 0x0A || scalars[index] == 0x0D)
    }
}
