// SPDX-License-Identifier: Apache-2.0

/// GPT-2's printable alphabet for bytes, in which byte-level vocabularies are spelled.
///
/// Printable bytes of Latin-1 stand for themselves, the other 68 for U+0100 and up, in order.
package enum ByteAlphabet {
    /// The code point of each byte.
    static let scalars: [UInt16] = {
        var next: UInt16 = 0x100
        return (UInt16(0)...255).map { byte in
            switch byte {
            case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: return byte
            default:
                defer { next += 1 }
                return next
            }
        }
    }()

    /// The byte of each code point below U+0144 that stands for one.
    private static let bytes: [UInt8?] = {
        var bytes = [UInt8?](repeating: nil, count: 0x144)
        for (byte, scalar) in scalars.enumerated() { bytes[Int(scalar)] = UInt8(byte) }
        return bytes
    }()

    /// Appends the spelling of `byte` in UTF-8.
    @inline(__always)
    package static func append(_ byte: UInt8, to text: inout [UInt8]) {
        let scalar = scalars[Int(byte)]
        if scalar < 0x80 {
            text.append(UInt8(scalar))
        } else {
            text.append(0xC0 | UInt8(scalar >> 6))
            text.append(0x80 | UInt8(scalar & 0x3F))
        }
    }

    /// The bytes that `text` spells; characters outside the alphabet stand for their own bytes.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let lead = text[index]
            var length = 1
            var scalar = Int(lead)
            if lead & 0xE0 == 0xC0, index + 1 < text.endIndex {
                length = 2
                scalar = Int(lead & 0x1F) << 6 | Int(text[index + 1] & 0x3F)
            }
            if scalar < bytes.count, lead < 0x80 || length == 2, let byte = bytes[scalar] {
                result.append(byte)
            } else {
                result.append(contentsOf: text[index..<index + length])
            }
            index += length
        }
        return result
    }
}
