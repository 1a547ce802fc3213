// SPDX-License-Identifier: Apache-2.0

extension Filters {
    private static let fallback: Filter = { interpreter, value, arguments throws(TemplateError) in
        let bound = try arguments.bound(to: ["default_value", "boolean"], of: "default")
        guard value.isUndefined || (bound.bool(1) && !value.isTrue) else { return value }
        return bound[0] ?? .string(MarkedText())
    }

    /// Filters for any kind of value.
    static let others: [String: Filter] = [
        "default": fallback,
        "d": fallback,
        "attr": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["name"], of: "attr", required: 1)
            guard let name = try bound.text(0) else { return .none }
            return try interpreter.builtinAttribute(name.string, of: value)
                ?? interpreter.missing(.string(name), value)
        },
        "pprint": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "pprint")
            return .string(try interpreter.represented(value))
        },
        "tojson": { interpreter, value, arguments throws(TemplateError) in
            let names = ["ensure_ascii", "indent", "separators", "sort_keys"]
            let bound = try arguments.bound(to: names, of: "tojson")
            var printer = JSONPrinter(style: try style(bound, interpreter))
            try interpreter.charge(characters: value.weight)
            try printer.print(value, in: value.origin)
            return try interpreter.text(printer.text)
        },
    ]

    private static func style(
        _ bound: BoundArguments, _ interpreter: Interpreter
    ) throws(TemplateError) -> JSONPrinter.Style {
        var indentation = bound.present(1)?.text
        if indentation == nil, bound.present(1) != nil {
            let width = max(try bound.integer(1) ?? 0, 0)
            guard width <= 1000 else { throw TemplateError(.valueTooLarge, "The indentation is too large.") }
            indentation = MarkedText(" ", .template).repeated(width)
        }
        var style = JSONPrinter.Style(
            indentation: indentation, itemSeparator: MarkedText(indentation == nil ? ", " : ",", .template),
            keySeparator: MarkedText(": ", .template), escapesNonASCII: bound.bool(0), sortsKeys: bound.bool(3))
        if let separators = bound.present(2) {
            let pair = try interpreter.elements(of: separators)
            guard pair.count == 2, let item = pair[0].text, let key = pair[1].text else {
                throw TemplateError(.invalidValue, "separators must be a pair of strings")
            }
            style.itemSeparator = item
            style.keySeparator = key
        }
        return style
    }
}
