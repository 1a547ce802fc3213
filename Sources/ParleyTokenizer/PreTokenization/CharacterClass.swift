// SPDX-License-Identifier: Apache-2.0

/// The class of a character for pre-tokenizers: the first letter of its general category, white space apart.
///
/// A character has exactly one class; a set of several is what a pattern accepts.
struct CharacterClass: OptionSet, Sendable {
    let rawValue: UInt8

    static let letter = CharacterClass(rawValue: 1)
    static let number = CharacterClass(rawValue: 2)
    static let mark = CharacterClass(rawValue: 4)
    static let punctuation = CharacterClass(rawValue: 8)
    static let symbol = CharacterClass(rawValue: 16)
    static let whitespace = CharacterClass(rawValue: 32)
    /// Control, format, private and unassigned characters.
    static let other = CharacterClass(rawValue: 64)

    /// The class of every code point, by its value.
    static let table: [CharacterClass] = {
        var table: [CharacterClass] = []
        table.reserveCapacity(0x11_0000)
        runs.withUTF8Buffer { text in
            var current = CharacterClass.other
            var length = 0
            for byte in text where byte != UInt8(ascii: "\n") {
                if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                    length = length * 10 + Int(byte - UInt8(ascii: "0"))
                    continue
                }
                table.append(contentsOf: repeatElement(current, count: length))
                current = CharacterClass(letter: byte)
                length = 0
            }
            table.append(contentsOf: repeatElement(current, count: length))
        }
        return table
    }()

    private init(letter: UInt8) {
        self =
            switch letter {
            case UInt8(ascii: "L"): .letter
            case UInt8(ascii: "N"): .number
            case UInt8(ascii: "M"): .mark
            case UInt8(ascii: "P"): .punctuation
            case UInt8(ascii: "S"): .symbol
            case UInt8(ascii: "W"): .whitespace
            default: .other
            }
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}
