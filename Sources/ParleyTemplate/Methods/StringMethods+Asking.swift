// SPDX-License-Identifier: Apache-2.0

extension StringMethods {
    /// Methods that test the characters of a text.
    static let asking: [String: Method] = [
        "isalpha": all("isalpha", \.isPythonLetter),
        "isdecimal": all("isdecimal", \.isPythonDecimal),
        "isdigit": all("isdigit", \.isPythonDigit),
        "isnumeric": all("isnumeric", \.isPythonNumeric),
        "isalnum": all("isalnum") { $0.isPythonLetter || $0.isPythonDigit || $0.isPythonNumeric },
        "isspace": all("isspace", \.isPythonSpace),
        "isascii": asking("isascii") { text, meter throws(TemplateError) in try text.all(meter, \.isASCII) },
        "isprintable": asking("isprintable") { text, meter throws(TemplateError) in
            try text.all(meter, \.isPythonPrintable)
        },
        "isidentifier": asking("isidentifier") { text, meter throws(TemplateError) in
            guard !text.isEmpty, text[0] == UInt8(ascii: "_") || text.scalar(at: 0).properties.isXIDStart else {
                return false
            }
            return try text.all(meter) { $0.isASCII ? $0.isPythonWord : $0.properties.isXIDContinue }
        },
        "islower": asking("islower") { text, meter throws(TemplateError) in try text.isLower(meter) },
        "isupper": asking("isupper") { text, meter throws(TemplateError) in try text.isUpper(meter) },
        "istitle": asking("istitle") { text, meter throws(TemplateError) in
            guard try text.contains(meter, where: \.isPythonCased) else { return false }
            return try text.hasSameBytes(as: text.converted(to: .title, meter))
        },
    ]

    private static func asking(
        _ name: String, _ holds: @escaping @Sendable (MarkedText, Meter) throws(TemplateError) -> Bool
    ) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            try arguments.expectNone(of: name)
            return .bool(try holds(text, interpreter.meter))
        }
    }

    private static func all(_ name: String, _ holds: @escaping @Sendable (Unicode.Scalar) -> Bool) -> Method {
        asking(name) { text, meter throws(TemplateError) in text.isEmpty ? false : try text.all(meter, holds) }
    }
}

extension MarkedText {
    /// Whether some letter has case and all that have are lower case.
    func isLower(_ meter: Meter) throws(TemplateError) -> Bool {
        guard try contains(meter, where: \.isPythonLower) else { return false }
        return try !contains(meter) { $0.isPythonUpper || $0.isPythonTitle }
    }

    /// Whether some letter has case and all that have are upper case.
    func isUpper(_ meter: Meter) throws(TemplateError) -> Bool {
        guard try contains(meter, where: \.isPythonUpper) else { return false }
        return try !contains(meter) { $0.isPythonLower || $0.isPythonTitle }
    }
}
