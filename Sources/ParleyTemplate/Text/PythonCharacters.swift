// SPDX-License-Identifier: Apache-2.0

/// Properties of characters as Python's `str` defines them.
extension Unicode.Scalar {
    /// White space to `str.strip`, `str.split` and regular expressions.
    var isPythonSpace: Bool {
        switch value {
        case 0x09...0x0D, 0x1C...0x20: true
        case ..<0x80: false
        default: properties.isWhitespace
        }
    }

    /// A place where `str.splitlines` splits.
    var isPythonLineBreak: Bool {
        switch value {
        case 0x0A...0x0D, 0x1C...0x1E, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// `str.isalpha` for one character.
    var isPythonLetter: Bool {
        guard !isASCII else { return (0x61...0x7A).contains(value | 0x20) }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    private var isASCIIDigit: Bool { (0x30...0x39).contains(value) }

    /// `str.isdecimal` for one character.
    var isPythonDecimal: Bool { isASCII ? isASCIIDigit : properties.generalCategory == .decimalNumber }

    /// `str.isdigit` for one character.
    var isPythonDigit: Bool {
        isASCII ? isASCIIDigit : properties.numericType == .decimal || properties.numericType == .digit
    }

    /// `str.isnumeric` for one character.
    var isPythonNumeric: Bool { isASCII ? isASCIIDigit : properties.numericType != nil }

    /// `\w` of a regular expression; names consist of these characters.
    var isPythonWord: Bool {
        self == "_" || isPythonLetter || isPythonDecimal || isPythonNumeric
    }

    /// A character with the property Uppercase or the category of title case.
    var isPythonUpper: Bool { isASCII ? (0x41...0x5A).contains(value) : properties.isUppercase }
    var isPythonLower: Bool { isASCII ? (0x61...0x7A).contains(value) : properties.isLowercase }
    /// A letter in title case, such as `ǅ`.
    var isPythonTitle: Bool { !isASCII && properties.generalCategory == .titlecaseLetter }
    /// A letter with case, as `str.title` sees it.
    var isPythonCased: Bool { isASCII ? isPythonLetter : properties.isCased }

    /// Whether `repr` shows the character itself.
    var isPythonPrintable: Bool {
        guard !isASCII else { return (0x20...0x7E).contains(value) }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .spaceSeparator: self == " "
        default: true
        }
    }
}
