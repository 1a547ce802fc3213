// SPDX-License-Identifier: Apache-2.0

/// Text of other programs, models and people, without control characters.
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
}
