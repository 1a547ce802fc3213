// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Parses a number; the position is at its sign or first digit.
    mutating func parseNumber() throws(JSONError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            guard !isDigit(current) else { throw fault("A number may not begin with a superfluous zero.") }
        } else {
            try takeDigits()
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try takeDigits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try takeDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else {
            throw fault("The number is beyond the range of a double.", .numberOutOfRange, at: start)
        }
        guard !isInteger else { return .decimal(JSONDecimal(text, nearest: value)) }
        // Fifteen digits are exact in any double that is not very small.
        let isPlain = position - start <= 16 && value.magnitude > 1e-290
        guard isPlain || DecimalDigits(text) == DecimalDigits(value.description) else {
            return .decimal(JSONDecimal(text, nearest: value))
        }
        return .number(value)
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private mutating func takeDigits() throws(JSONError) {
        guard isDigit(current) else { throw fault("A digit is expected here.") }
        while isDigit(current) { position += 1 }
    }
}
