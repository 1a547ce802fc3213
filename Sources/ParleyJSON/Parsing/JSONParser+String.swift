// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Parses a string; the position is at its opening quote.
    mutating func parseString() throws(JSONError) -> String {
        position += 1
        let plain = try takePlainRun()
        if take(UInt8(ascii: "\"")) { return plain }
        var text = plain
        while true {
            switch current {
            case UInt8(ascii: "\\"):
                position += 1
                text.unicodeScalars.append(try parseEscape())
            case UInt8(ascii: "\""):
                position += 1
                return text
            default:
                text += try takePlainRun()
            }
        }
    }

    /// The characters up to a quote or a backslash; throws at a control character or the end of the document.
    private mutating func takePlainRun() throws(JSONError) -> String {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            position += 1
        }
        guard position < bytes.count else { throw fault("The document ends inside a string; it may be cut off.") }
        guard bytes[position] >= 0x20 else { throw fault("A control character in a string must be escaped.") }
        guard let text = String(validating: bytes[start..<position], as: UTF8.self) else {
            throw fault("The string is not valid UTF-8.", .invalidText, at: start)
        }
        return text
    }

    private mutating func parseEscape() throws(JSONError) -> Unicode.Scalar {
        let escape = current
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(escape)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try parseUnicodeEscape()
        default: throw fault("This escape does not exist in JSON.", at: position - 2)
        }
    }

    private mutating func parseUnicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position - 2
        let unit = try parseHexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw loneSurrogate(at: start)
        }
        let trail = try parseHexUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw loneSurrogate(at: start) }
        let value = 0x10000 + (UInt32(unit - 0xD800) << 10) + UInt32(trail - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw loneSurrogate(at: start) }
        return scalar
    }

    private func loneSurrogate(at place: Int) -> JSONError {
        fault("The escape names half a surrogate pair, which is no character.", .invalidText, at: place)
    }

    private mutating func parseHexUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else {
                throw fault("Four hexadecimal digits are expected here.")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
