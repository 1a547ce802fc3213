// SPDX-License-Identifier: Apache-2.0

/// What titles and tags may contain.
enum NoteText {
    /// A text on one line: line ends and control characters become spaces, and those around it are removed.
    static func singleLine(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            default: scalar
            }
        }
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let trimmed = scalars.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return String(String.UnicodeScalarView(trimmed))
    }
}
