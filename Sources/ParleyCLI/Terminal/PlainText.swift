// SPDX-License-Identifier: Apache-2.0

/// Text without control characters.
package enum PlainText {
    /// Converts line ends to line feeds and removes control characters other than tabs.
    ///
    /// Text from a model or the clipboard must not move the cursor or send commands to the terminal.
    package static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0d: result.append("\n")
            case 0x0a: if previous != "\r" { result.append("\n") }
            case 0x09: result.append(scalar)
            case 0x00...0x1f, 0x7f...0x9f: break
            default: result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }

    /// Removes control characters other than tabs and line ends, but keeps the sequences that begin and end a
    /// ``TextStyle``.
    package static func keepingStyles(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value == 0x1b || isControl($0) }) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar.value == 0x1b, let style = TextStyle.sequences.first(where: { rest.starts(with: $0.dropFirst()) })
            {
                result.append(contentsOf: style)
                rest = rest.dropFirst(style.count - 1)
            } else if scalar.value == 0x0d ? rest.first?.value == 0x0a : !isControl(scalar) {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a: false
        case 0x00...0x1f, 0x7f...0x9f: true
        default: false
        }
    }
}
