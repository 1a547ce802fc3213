// SPDX-License-Identifier: Apache-2.0

extension StringMethods {
    /// Methods that say what a text consists of.
    static let asking: [String: Method] = [
        "isalpha": all("isalpha", \.isPythonLetter),
        "isdecimal": all("isdecimal", \.isPythonDecimal),
        "isdigit": all("isdigit", \.isPythonDigit),
        "isnumeric": all("isnumeric", \.isPythonNumeric),
        "isalnum": all("isalnum") { $0.isPythonLetter || $0.isPythonDigit || $0.isPythonNumeric },
        "isspace": all("isspace", \.isPythonSpace),
        "isascii": asking("isascii") { $0.scalars.allSatisfy(\.isASCII) },
        "isprintable": asking("isprintable") { $0.scalars.allSatisfy(\.isPythonPrintable) },
        "isidentifier": asking("isidentifier") { text in
            guard let first = text.scalars.first, first == "_" || first.properties.isXIDStart else { return false }
            return text.scalars.allSatisfy { $0.properties.isXIDContinue }
        },
        "islower": asking("islower") { $0.isLower },
        "isupper": asking("isupper") { $0.isUpper },
        "istitle": asking("istitle") { text in
            text.scalars.contains(where: \.isPythonCased) && text == text.titled()
        },
    ]

    private static func asking(_ name: String, _ holds: @escaping @Sendable (MarkedText) -> Bool) -> Method {
        { _, text, arguments throws(TemplateError) in
            try arguments.expectNone(of: name)
            return .bool(holds(text))
        }
    }

    private static func all(_ name: String, _ holds: @escaping @Sendable (Unicode.Scalar) -> Bool) -> Method {
        asking(name) { !$0.isEmpty && $0.scalars.allSatisfy(holds) }
    }
}

extension MarkedText {
    /// Some letter has case and all that have are small.
    var isLower: Bool {
        scalars.contains(where: \.isPythonLower)
            && !scalars.contains { $0.isPythonUpper || $0.properties.generalCategory == .titlecaseLetter }
    }

    /// Some letter has case and all that have are capital.
    var isUpper: Bool {
        scalars.contains(where: \.isPythonUpper)
            && !scalars.contains { $0.isPythonLower || $0.properties.generalCategory == .titlecaseLetter }
    }
}
