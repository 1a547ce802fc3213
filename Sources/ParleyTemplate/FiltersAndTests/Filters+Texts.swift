// SPDX-License-Identifier: Apache-2.0

extension Filters {
    /// Filters that change a text.
    static let texts: [String: Filter] = [
        "upper": simple("upper") { text, meter throws(TemplateError) in try text.converted(to: .upper, meter) },
        "lower": simple("lower") { text, meter throws(TemplateError) in try text.converted(to: .lower, meter) },
        "capitalize": simple("capitalize") { text, meter throws(TemplateError) in
            try text.converted(to: .capitalized, meter)
        },
        "title": simple("title") { text, meter throws(TemplateError) in try text.converted(to: .words, meter) },
        "string": simple("string") { text, _ throws(TemplateError) in text },
        "trim": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["chars"], of: "trim")
            if let value = bound.present(0), value.text == nil { throw bound.wrong(0, "a string", value) }
            return .string(
                try interpreter.printed(value).stripped(interpreter.meter, .both, of: bound.present(0)?.text))
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
            let separator = try interpreter.printed(bound[0] ?? .string(.empty))
            let items = try interpreter.elements(of: value)
            return .string(
                try interpreter.text { (writer) throws(TemplateError) in
                    for (index, item) in items.enumerated() {
                        try interpreter.meter.work(16)
                        if index > 0 { try writer.append(separator) }
                        let part = try bound.present(1).map { path throws(TemplateError) in
                            try interpreter.attribute(at: path, of: item)
                        }
                        try interpreter.print(part ?? item, to: writer)
                    }
                })
        },
        "format": { interpreter, value, arguments throws(TemplateError) in
            guard arguments.keyword.isEmpty || arguments.positional.count == 0 else {
                throw TemplateError(
                    .wrongType, "can't handle positional and keyword arguments at the same time")
            }
            let values =
                arguments.keyword.isEmpty
                ? try interpreter.sequence(.tuple, of: Array(arguments.positional.items))
                : try interpreter.call(.dict, CallArguments(keyword: arguments.keyword))
            return try interpreter.format(try interpreter.printed(value), with: values)
        },
        "wordcount": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "wordcount")
            let text = try interpreter.printed(value)
            var (count, wasWord) = (0, false)
            for (_, scalar) in text.characters {
                try interpreter.meter.work(MarkedText.price(ofProperties: scalar))
                let isWord = scalar.isPythonWord
                if isWord, !wasWord { count += 1 }
                wasWord = isWord
            }
            return .integer(count, text.origin)
        },
        "reverse": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "reverse")
            guard let text = value.text else {
                let items = try interpreter.elements(of: value)
                let row = try interpreter.row(room: items.count)
                try row.append(contentsOf: items.items.reversed())
                return try interpreter.sequence(.generator, row, origin: value.origin)
            }
            return .string(
                try interpreter.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
                    var end = text.size
                    while end > 0 {
                        let start = text.start(before: end)
                        try writer.append(text[start..<end])
                        end = start
                    }
                })
        },
    ]

    static func simple(
        _ name: String, _ body: @escaping @Sendable (MarkedText, Meter) throws(TemplateError) -> MarkedText
    ) -> Filter {
        { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: name)
            return .string(try body(try interpreter.printed(value), interpreter.meter))
        }
    }
}
