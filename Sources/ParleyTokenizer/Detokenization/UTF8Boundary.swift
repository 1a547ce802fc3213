// SPDX-License-Identifier: Apache-2.0

/// Finds incomplete characters at the end of UTF-8 text.
enum UTF8Boundary {
    /// The number of bytes at the end that are the beginning of an incomplete character: 0 to 3.
    static func incompleteSuffixLength(of bytes: [UInt8]) -> Int {
        for length in 1...3 where length <= bytes.count {
            let lead = bytes[bytes.count - length]
            if lead & 0xC0 == 0x80 { continue }
            guard length < self.length(ofCharacterLedBy: lead) else { return 0 }
            if length > 1, !secondBytes(after: lead).contains(bytes[bytes.count - length + 1]) { return 0 }
            return length
        }
        return 0
    }

    private static func length(ofCharacterLedBy lead: UInt8) -> Int {
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    /// The valid values of the byte after a lead byte, which exclude overlong forms, surrogates and values beyond
    /// U+10FFFF.
    private static func secondBytes(after lead: UInt8) -> ClosedRange<UInt8> {
        switch lead {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}
