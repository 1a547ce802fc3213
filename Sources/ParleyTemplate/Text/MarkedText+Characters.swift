// SPDX-License-Identifier: Apache-2.0

/// Access to the characters of a text.
extension MarkedText {
    /// The characters with the byte offsets where they begin. The caller charges the work of reading.
    struct Characters: Sequence, IteratorProtocol {
        private let bytes: ArraySlice<UInt8>
        private var index: Int

        init(_ text: MarkedText) {
            bytes = text.bytes
            index = bytes.startIndex
        }

        mutating func next() -> (index: Int, scalar: Unicode.Scalar)? {
            guard index < bytes.endIndex else { return nil }
            let start = index
            let (scalar, width) = MarkedText.decode(bytes, at: index)
            index += width
            return (start - bytes.startIndex, scalar)
        }
    }

    var characters: Characters { Characters(self) }

    /// The character that begins at a byte.
    func scalar(at index: Int) -> Unicode.Scalar {
        let bytes = bytes
        return MarkedText.decode(bytes, at: bytes.startIndex + index).scalar
    }

    /// The character before a byte; nil at the beginning.
    func scalar(before index: Int) -> Unicode.Scalar? {
        index == 0 ? nil : scalar(at: start(before: index))
    }

    /// The offset of the character before a byte.
    func start(before index: Int) -> Int {
        var start = index - 1
        while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
        return start
    }

    /// The offset of the next character.
    func end(after index: Int) -> Int { index + MarkedText.width(self[index]) }

    /// Decodes a character of valid UTF-8.
    fileprivate static func decode(_ bytes: ArraySlice<UInt8>, at index: Int) -> (scalar: Unicode.Scalar, width: Int) {
        let first = bytes[index]
        guard first >= 0x80 else { return (Unicode.Scalar(first), 1) }
        let width = width(first)
        var value = UInt32(first) & (0x7F >> UInt32(width))
        for offset in 1..<width { value = value << 6 | UInt32(bytes[index + offset] & 0x3F) }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", width)
    }

    private static func width(_ first: UInt8) -> Int {
        first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    }

    // MARK: Python's indices

    /// The number of characters.
    func count(_ meter: Meter) throws(TemplateError) -> Int {
        try characters(before: size, meter)
    }

    /// The number of characters before a byte offset.
    func characters(before index: Int, _ meter: Meter) throws(TemplateError) -> Int {
        guard !isASCII else { return index }
        try meter.work(index)
        return try withBytes { bytes in
            bytes[..<index].reduce(into: 0) { count, byte in count += byte & 0xC0 == 0x80 ? 0 : 1 }
        }
    }

    /// The byte offset of a character; the end of the text for any index after the last.
    func index(ofCharacter position: Int, _ meter: Meter) throws(TemplateError) -> Int {
        guard !isASCII else { return min(position, size) }
        return try withBytes { (bytes) throws(TemplateError) in
            var index = 0
            for _ in 0..<position {
                guard index < bytes.count else { break }
                try meter.work(1)
                index += MarkedText.width(bytes[index])
            }
            return index
        }
    }

    /// The characters in a range that must lie inside the text.
    func slice(_ range: Range<Int>, _ meter: Meter) throws(TemplateError) -> MarkedText {
        let start = try index(ofCharacter: range.lowerBound, meter)
        let rest = self[start..<size]
        return rest[0..<(try rest.index(ofCharacter: range.count, meter))]
    }

    // MARK: Conditions

    /// The cost in ticks of looking up a character's properties. Characters beyond ASCII need a table lookup.
    static func price(ofProperties scalar: Unicode.Scalar) -> Int { scalar.isASCII ? 4 : 32 }

    /// Whether all characters satisfy a condition.
    func all(_ meter: Meter, _ holds: (Unicode.Scalar) -> Bool) throws(TemplateError) -> Bool {
        try !contains(meter) { !holds($0) }
    }

    /// Whether any character satisfies a condition.
    func contains(_ meter: Meter, where holds: (Unicode.Scalar) -> Bool) throws(TemplateError) -> Bool {
        for (_, scalar) in characters {
            try meter.work(MarkedText.price(ofProperties: scalar))
            if holds(scalar) { return true }
        }
        return false
    }
}
