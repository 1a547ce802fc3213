// SPDX-License-Identifier: Apache-2.0

/// Upper and lower case, as Python's string methods have it; every character inherits its mark.
extension MarkedText {
    func uppercased() -> MarkedText { mapScalars { _, scalar in scalar.properties.uppercaseMapping } }

    func lowercased() -> MarkedText { mapScalars { index, scalar in lowercase(scalar, at: index) } }

    /// Title case for the first character, lower case for the rest.
    func capitalized() -> MarkedText {
        mapScalars { index, scalar in
            index == 0 ? scalar.properties.titlecaseMapping : lowercase(scalar, at: index)
        }
    }

    /// Title case after every character that has no case, as `str.title`.
    func titled() -> MarkedText {
        mapScalars { index, scalar in
            let isInside = index > 0 && scalars[index - 1].isPythonCased
            return isInside ? lowercase(scalar, at: index) : scalar.properties.titlecaseMapping
        }
    }

    /// Upper case at the beginning of words, as the filter `title` counts them.
    func titledWords() -> MarkedText {
        mapScalars { index, scalar in
            let isFirst = index == 0 || scalars[index - 1].isPythonSpace || "-({[<".unicodeScalars.contains(scalars[index - 1])
            return isFirst ? scalar.properties.uppercaseMapping : lowercase(scalar, at: index)
        }
    }

    func swappedCase() -> MarkedText {
        mapScalars { index, scalar in
            if scalar.isPythonUpper { return lowercase(scalar, at: index) }
            return scalar.isPythonLower ? scalar.properties.uppercaseMapping : String(scalar)
        }
    }

    /// A sigma that ends a word has a lower case of its own.
    private func lowercase(_ scalar: Unicode.Scalar, at index: Int) -> String {
        guard scalar == "Σ" else { return scalar.properties.lowercaseMapping }
        let before = scalars[..<index].last { !$0.properties.isCaseIgnorable }
        let after = scalars[(index + 1)...].first { !$0.properties.isCaseIgnorable }
        return before?.isPythonCased == true && after?.isPythonCased != true ? "ς" : "σ"
    }
}
