// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

extension PlainText {
    /// Removes controls as ``clean(_:)`` does, but keeps the sequences that begin and end a ``TextStyle``.
    package static func keepingStyles(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar.value == 0x1b, let style = TextStyle.sequences.first(where: { rest.starts(with: $0.dropFirst()) })
            {
                result.append(contentsOf: style)
                rest = rest.dropFirst(style.count - 1)
            } else if [0x2028, 0x2029].contains(scalar.value) {
                result.append("\n")
            } else if scalar.value == 0x0d ? rest.first?.value == 0x0a : !isControl(scalar) {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
