// SPDX-License-Identifier: Apache-2.0

extension Filters {
    private static let fallback: Filter = { interpreter, value, arguments throws(TemplateError) in
        let bound = try arguments.bound(to: ["default_value", "boolean"], of: "default")
        guard value.isUndefined || (bound.bool(1) && !value.isTrue) else { return value }
        return bound[0] ?? .string(.empty)
    }

    /// Filters for any kind of value.
    static let others: [String: Filter] = [
        "default": fallback,
        "d": fallback,
        "attr": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["name"], of: "attr", required: 1)
            guard let text = try bound.text(0) else { return .none }
            if let name = try text.name(interpreter.meter),
                let attribute = try interpreter.builtinAttribute(name, of: value)
            {
                return attribute
            }
            return try interpreter.missing(.string(text), value)
        },
        "pprint": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "pprint")
            return .string(try interpreter.represented(value))
        },
        "tojson": { interpreter, value, arguments throws(TemplateError) in
            try interpreter.meter.step()
            let names = ["ensure_ascii", "indent", "separators", "sort_keys"]
            let bound = try arguments.bound(to: names, of: "tojson")
            let style = try style(bound, interpreter)
            return .string(
                try interpreter.text { (writer) throws(TemplateError) in
                    var printer = JSONPrinter(style: style, writer: writer, interpreter: interpreter)
                    try printer.print(value, in: value.origin)
                })
        },
    ]

    private static func style(
        _ bound: BoundArguments, _ interpreter: Interpreter
    ) throws(TemplateError) -> JSONPrinter.Style {
        var indentation = bound.present(1)?.text
        if indentation == nil, bound.present(1) != nil {
            let width = try bound.integer(1) ?? 0
            indentation = try interpreter.text { (writer) throws(TemplateError) in
                try writer.append(.space, times: width)
            }
        }
        var style = JSONPrinter.Style(
            indentation: indentation, itemSeparator: MarkedText(source: indentation == nil ? ", " : ","),
            keySeparator: MarkedText(source: ": "), escapesNonASCII: bound.bool(0), sortsKeys: bound.bool(3))
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
