// SPDX-License-Identifier: Apache-2.0

/// A parameter of a content line, such as `TZID=Europe/Berlin`.
public struct ContentParameter: Hashable, Sendable {
    /// The name as written; names are compared without regard to case.
    public let name: String
    /// The values without quotes, the escapes of RFC 6868 replaced. Empty for a name without `=`, as vCard 2.1 had them.
    public let values: [String]

    /// Makes a parameter.
    ///
    /// - Parameters:
    ///   - name: Letters, digits and hyphens.
    ///   - values: The values, which may hold any text; control characters other than line ends are left out.
    public init(_ name: String, _ values: String...) {
        self.init(name: name, values: values)
    }

    init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }

    /// The parameter as it stands in a line, quoted and escaped where it must be.
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

    /// Replaces the escapes of RFC 6868; a circumflex before anything else stands for itself.
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
                default: result += [UInt8(ascii: "^"), byte]
                }
            } else if byte == UInt8(ascii: "^") {
                escaping = true
            } else {
                result.append(byte)
            }
        }
        if escaping { result.append(UInt8(ascii: "^")) }
        return String(decoding: result, as: UTF8.self)
    }
}
