// SPDX-License-Identifier: Apache-2.0

extension Filters {
    /// Filters that change a text.
    static let texts: [String: Filter] = [
        "upper": simple("upper") { $0.uppercased() },
        "lower": simple("lower") { $0.lowercased() },
        "capitalize": simple("capitalize") { $0.capitalized() },
        "title": simple("title") { $0.titledWords() },
        "string": simple("string") { $0 },
        "trim": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["chars"], of: "trim")
            if let value = bound.present(0), value.text == nil { throw bound.wrong(0, "a string", value) }
            return try interpreter.text(try interpreter.printed(value).stripped(.both, of: bound.present(0)?.text))
        },
        "replace": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["old", "new", "count"], of: "replace", required: 2)
            let text = try interpreter.printed(value).marked(asMarkup: false)
            let (old, new) = (try interpreter.printed(bound[0] ?? .none), try interpreter.printed(bound[1] ?? .none))
            let limit = bound.present(2) == nil ? -1 : try bound.integer(2) ?? -1
            return .string(try interpreter.replaced(text, old, with: new, limit: limit))
        },
        "join": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["d", "attribute"], of: "join")
            let separator = try interpreter.printed(bound[0] ?? .string(MarkedText()))
            var parts: [MarkedText] = []
            for item in try interpreter.elements(of: value) {
                let part = try bound.present(1).map { path throws(TemplateError) in
                    try interpreter.attribute(at: path, of: item)
                }
                parts.append(try interpreter.printed(part ?? item))
            }
            return .string(try interpreter.joined(parts, separator: separator))
        },
        "format": { interpreter, value, arguments throws(TemplateError) in
            guard arguments.keyword.isEmpty || arguments.positional.isEmpty else {
                throw TemplateError(
                    .wrongType, "can't handle positional and keyword arguments at the same time")
            }
            let values =
                arguments.keyword.isEmpty
                ? try interpreter.tuple(arguments.positional)
                : try interpreter.call(.dict, CallArguments(keyword: arguments.keyword))
            return try interpreter.format(try interpreter.printed(value), with: values)
        },
        "wordcount": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "wordcount")
            let text = try interpreter.printed(value)
            try interpreter.charge(steps: text.count / 16)
            let isWord = text.scalars.map(\.isPythonWord)
            let count = zip(isWord, [false] + isWord.dropLast()).count { $0 && !$1 }
            return .integer(count, text.origin)
        },
        "reverse": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "reverse")
            guard let text = value.text else {
                let items = try interpreter.elements(of: value)
                return .sequence(try interpreter.sequence(.generator, items.reversed(), origin: value.origin))
            }
            return try interpreter.text(text.taking((0..<text.count).reversed()))
        },
    ]

    static func simple(_ name: String, _ body: @escaping @Sendable (MarkedText) -> MarkedText) -> Filter {
        { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: name)
            return try interpreter.text(body(try interpreter.printed(value)))
        }
    }
}
