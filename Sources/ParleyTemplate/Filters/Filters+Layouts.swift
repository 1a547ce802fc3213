// SPDX-License-Identifier: Apache-2.0

extension Filters {
    /// Filters that lay a text out.
    static let layouts: [String: Filter] = [
        "indent": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["width", "first", "blank"], of: "indent")
            let indentation: MarkedText
            if let text = bound[0]?.text {
                indentation = text
            } else {
                let width = max(try bound.integer(0) ?? 4, 0)
                try interpreter.charge(characters: width)
                indentation = MarkedText(" ", .template).repeated(width)
            }
            guard let text = value.text else { throw wrongInput("indent", "a string", value) }
            return .string(
                try interpreter.indented(text, by: indentation, first: bound.bool(1), blank: bound.bool(2)))
        },
        "center": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["width"], of: "center")
            let width = bound[0] ?? .integer(80, .template)
            return try interpreter.callMethod(
                "center", of: .string(try interpreter.printed(value)), CallArguments(positional: [width]))
        },
        "truncate": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["length", "killwords", "end", "leeway"], of: "truncate")
            let end = try bound.text(2) ?? MarkedText("...", .template)
            let length = try bound.integer(0) ?? 255
            let leeway = bound.present(3) == nil ? 5 : try bound.integer(3) ?? 5
            guard length >= end.count, leeway >= 0 else {
                throw TemplateError(.invalidValue, "expected a length of at least \(end.count) and a leeway")
            }
            let count = try Filters.length(interpreter, value, CallArguments()).integer ?? 0
            guard count > length.addingReportingOverflow(leeway).partialValue, count > length else { return value }
            guard let text = value.text else { throw wrongInput("truncate", "a string", value) }
            let kept = text[0..<(length - end.count)]
            let space = MarkedText(" ", .template)
            var result = bound.bool(1) ? kept : kept.splitFromRight(by: space, limit: 1)[0]
            result.append(end)
            return try interpreter.text(result)
        },
        "wordwrap": { interpreter, value, arguments throws(TemplateError) in
            let names = ["width", "break_long_words", "wrapstring", "break_on_hyphens"]
            let bound = try arguments.bound(to: names, of: "wordwrap")
            guard let text = value.text else { throw wrongInput("wordwrap", "a string", value) }
            let width = try bound.integer(0) ?? 79
            guard width > 0 else { throw TemplateError(.invalidValue, "invalid width (must be > 0)") }
            let wrapper = TextWrapper(
                width: width, breaksLongWords: bound[1]?.isTrue ?? true, breaksOnHyphens: bound[3]?.isTrue ?? true)
            try interpreter.charge(characters: text.count)
            let separator = bound.present(2) == nil ? nil : try bound.text(2)
            let lineBreak = separator ?? MarkedText("\n", .template)
            let paragraphs = text.lines(keepingEnds: false).map {
                MarkedText.joined(wrapper.wrap($0), separator: lineBreak)
            }
            return .string(try interpreter.joined(paragraphs, separator: lineBreak))
        },
    ]

    static func wrongInput(_ name: String, _ expected: String, _ value: Value) -> TemplateError {
        if case .undefined(let undefined) = value { return undefined.error }
        return TemplateError(.wrongType, "filter '\(name)' needs \(expected), not \(value.typeName)")
    }
}

extension Interpreter {
    fileprivate func indented(
        _ text: MarkedText, by indentation: MarkedText, first: Bool, blank: Bool
    ) throws(TemplateError) -> MarkedText {
        // Jinja adds a line break before it splits, so that a last line that ends in one is followed by an empty one.
        var source = text
        source.append("\n", .template)
        let lines = source.lines(keepingEnds: false)
        var result = MarkedText()
        for (index, line) in lines.enumerated() {
            if index > 0 { result.append("\n", .template) }
            if index == 0 ? first : blank || !line.isEmpty { result.append(indentation) }
            try charge(characters: line.count + indentation.count + 1)
            result.append(line)
        }
        return result.marked(asMarkup: text.isMarkup)
    }
}
