// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

extension PlainText {
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
