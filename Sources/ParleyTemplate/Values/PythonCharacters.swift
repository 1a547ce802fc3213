// SPDX-License-Identifier: Apache-2.0

/// What Python's `str` holds about single characters.
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
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    /// `str.isdecimal` for one character.
    var isPythonDecimal: Bool { properties.generalCategory == .decimalNumber }

    /// `str.isdigit` for one character.
    var isPythonDigit: Bool { properties.numericType == .decimal || properties.numericType == .digit }

    /// `str.isnumeric` for one character.
    var isPythonNumeric: Bool { properties.numericType != nil }

    /// `\w` of a regular expression, which is also what a name is made of.
    var isPythonWord: Bool {
        self == "_" || isPythonLetter || isPythonDecimal || isPythonNumeric
    }

    /// A character with the property Uppercase or the category of title case.
    var isPythonUpper: Bool { properties.isUppercase }
    var isPythonLower: Bool { properties.isLowercase }
    /// A letter with case, as `str.title` sees it.
    var isPythonCased: Bool { properties.isCased }

    /// Whether `repr` shows the character itself.
    var isPythonPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .spaceSeparator: self == " "
        default: true
        }
    }
}
