// SPDX-License-Identifier: Apache-2.0

/// Values of the type TEXT, with their escapes (RFC 5545, section 3.3.11).
public enum TextValue {
    /// Escapes text for a value.
    ///
    /// - Parameter text: Any text; CRLF and CR count as line ends, other control characters than tab are left out.
    /// - Returns: The value as it is written.
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

    /// Replaces the escapes of a value that is one text.
    ///
    /// - Parameter value: A value as written. A backslash before anything that is not escaped stands for itself.
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

    /// Cuts a value at each separator that is not escaped; the parts keep their escapes.
    ///
    /// - Parameters:
    ///   - value: A value as written.
    ///   - separator: A comma between values of a list, a semicolon between the fields of a structured value.
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
