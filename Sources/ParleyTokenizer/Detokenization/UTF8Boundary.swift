// SPDX-License-Identifier: Apache-2.0

/// Where UTF-8 may be cut.
enum UTF8Boundary {
    /// How many bytes at the end begin a character that more bytes could complete: 0 to 3.
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

    /// The bytes that may follow the lead without overlong forms, surrogates or values beyond U+10FFFF.
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
