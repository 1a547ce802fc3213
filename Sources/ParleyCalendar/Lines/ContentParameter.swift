// SPDX-License-Identifier: Apache-2.0

/// A parameter of a content line, such as `TZID=Europe/Berlin`.
public struct ContentParameter: Hashable, Sendable {
    /// The name as written; names are compared without regard to case.
    public let name: String
    /// The values without quotes and with the escapes of RFC 6868 replaced; empty for a name without `=`, as in vCard
    /// 2.1.
    public let values: [String]

    /// Creates a parameter.
    ///
    /// - Parameters:
    ///   - name: Letters, digits and hyphens.
    ///   - values: The values, which may contain any text; control characters other than line ends are removed.
    public init(_ name: String, _ values: String...) {
        self.init(name: name, values: values)
    }

    init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }

    /// The serialised parameter, quoted and escaped where necessary.
    var text: String {
        guard !values.isEmpty else { return name }
        return name + "=" + values.map(Self.write).joined(separator: ",")
    }

    private static func write(_ value: String) -> String {
        var escaped = ""
        var needsQuotes = false
        for scalar in value.unicodeScalars {
            switch scalar {
            case "^": escaped += "^^"
            case "\"": escaped += "^'"
            case "\n": escaped += "^n"
            case ",", ";", ":":
                escaped.unicodeScalars.append(scalar)
                needsQuotes = true
            case "\t", " "...: if scalar != "\u{7F}" { escaped.unicodeScalars.append(scalar) }
            default: break
            }
        }
        return needsQuotes ? "\"\(escaped)\"" : escaped
    }

    /// Replaces the escapes of RFC 6868; a circumflex that begins no escape is kept. Control characters, which RFC 5545
    /// forbids here, are left out as they are when a value is written, so that a value that is copied to another line
    /// reads the same there.
    static func read(_ text: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        var escaping = false
        for byte in text {
            if escaping {
                escaping = false
                switch byte {
                case UInt8(ascii: "^"): result.append(byte)
                case UInt8(ascii: "'"): result.append(UInt8(ascii: "\""))
                case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
                default: result += isAllowed(byte) ? [UInt8(ascii: "^"), byte] : [UInt8(ascii: "^")]
                }
            } else if byte == UInt8(ascii: "^") {
                escaping = true
            } else if isAllowed(byte) {
                result.append(byte)
            }
        }
        if escaping { result.append(UInt8(ascii: "^")) }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\t") || byte >= 0x20 && byte != 0x7F
    }
}
