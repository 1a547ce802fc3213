// SPDX-License-Identifier: Apache-2.0

/// Escapes and unescapes values of the type TEXT (RFC 5545, section 3.3.11).
public enum TextValue {
    /// Escapes a text for use as a value.
    ///
    /// - Parameter text: Any text; CRLF and CR count as line ends, and control characters other than tab are removed.
    /// - Returns: The escaped value.
    public static func write(_ text: String) -> String {
        var result = ""
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case ";": result += "\\;"
            case ",": result += "\\,"
            case "\n": if previous != "\r" { result += "\\n" }
            case "\r": result += "\\n"
            case "\t", " "...: if scalar != "\u{7F}" { result.unicodeScalars.append(scalar) }
            default: break
            }
            previous = scalar
        }
        return result
    }

    /// Unescapes a value that is a single text.
    ///
    /// - Parameter value: A value in its escaped form; a backslash that begins no escape is kept.
    /// - Returns: The text.
    public static func read(_ value: String) -> String {
        guard value.utf8.contains(UInt8(ascii: "\\")) else { return value }
        var result = String.UnicodeScalarView()
        var escaping = false
        for scalar in value.unicodeScalars {
            if escaping {
                escaping = false
                switch scalar {
                case "n", "N": result.append("\n")
                case "\\", ",", ";", ":", "\"": result.append(scalar)
                default:
                    result.append("\\")
                    result.append(scalar)
                }
            } else if scalar == "\\" {
                escaping = true
            } else {
                result.append(scalar)
            }
        }
        if escaping { result.append("\\") }
        return String(result)
    }

    /// Splits a value at each unescaped separator; the parts remain escaped.
    ///
    /// - Parameters:
    ///   - value: A value in its escaped form.
    ///   - separator: A comma for lists, a semicolon for the fields of structured values.
    /// - Returns: The parts, at least one.
    public static func split(_ value: String, at separator: Unicode.Scalar = ",") -> [String] {
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        var escaping = false
        for scalar in value.unicodeScalars {
            if scalar == separator, !escaping {
                parts.append(String(part))
                part = String.UnicodeScalarView()
                continue
            }
            escaping = scalar == "\\" && !escaping
            part.append(scalar)
        }
        return parts + [String(part)]
    }
}
