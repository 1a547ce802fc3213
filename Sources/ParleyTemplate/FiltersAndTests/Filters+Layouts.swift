// SPDX-License-Identifier: Apache-2.0

extension Filters {
    /// Filters that lay a text out.
    static let layouts: [String: Filter] = [
        "indent": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["width", "first", "blank"], of: "indent")
            let (indentation, times) =
                if let text = bound[0]?.text { (text, 1) } else { (MarkedText.space, try bound.integer(0) ?? 4) }
            guard let text = value.text else { throw wrongInput("indent", "a string", value) }
            return .string(
                try interpreter.indented(
                    text, by: indentation, times: times, first: bound.bool(1), blank: bound.bool(2)))
        },
        "center": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["width"], of: "center")
            let width = bound[0] ?? .integer(80, .template)
            return try StringMethods.center(
                interpreter, try interpreter.printed(value),
                CallArguments(positional: Elements(owner: nil, items: [width])))
        },
        "truncate": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["length", "killwords", "end", "leeway"], of: "truncate")
            let end = try bound.text(2) ?? MarkedText(source: "...")
            let length = try bound.integer(0) ?? 255
            let leeway = bound.present(3) == nil ? 5 : try bound.integer(3) ?? 5
            let endCount = try end.count(interpreter.meter)
            guard length >= endCount, leeway >= 0 else {
                throw TemplateError(.invalidValue, "expected a length of at least \(endCount) and a leeway")
            }
            let count = try Filters.length(interpreter, value, CallArguments()).integer ?? 0
            guard count > length.addingReportingOverflow(leeway).partialValue, count > length else { return value }
            guard let text = value.text else { throw wrongInput("truncate", "a string", value) }
            var kept = try text.slice(0..<(length - endCount), interpreter.meter)
            if !bound.bool(1),
                let space = try kept.lastPlace(of: .space, in: 0..<kept.size, interpreter.meter)
            {
                kept = kept[0..<space]
            }
            return .string(
                try interpreter.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
                    try writer.append(kept)
                    try writer.append(end)
                })
        },
        "wordwrap": { interpreter, value, arguments throws(TemplateError) in
            let names = ["width", "break_long_words", "wrapstring", "break_on_hyphens"]
            let bound = try arguments.bound(to: names, of: "wordwrap")
            guard let text = value.text else { throw wrongInput("wordwrap", "a string", value) }
            let width = try bound.integer(0) ?? 79
            guard width > 0 else { throw TemplateError(.invalidValue, "invalid width (must be > 0)") }
            let separator = bound.present(2) == nil ? nil : try bound.text(2)
            let wrapper = TextWrapper(
                width: width, breaksLongWords: bound[1]?.isTrue ?? true, breaksOnHyphens: bound[3]?.isTrue ?? true,
                lineBreak: separator ?? lineBreak)
            return .string(
                try interpreter.text { (writer) throws(TemplateError) in try wrapper.wrap(text, to: writer) })
        },
    ]

    static func wrongInput(_ name: String, _ expected: String, _ value: Value) -> TemplateError {
        if case .undefined(let undefined) = value { return undefined.error }
        return TemplateError(.wrongType, "filter '\(name)' needs \(expected), not \(value.typeName)")
    }
}

extension Interpreter {
    fileprivate func indented(
        _ text: MarkedText, by indentation: MarkedText, times: Int, first: Bool, blank: Bool
    ) throws(TemplateError) -> MarkedText {
        let lines = try text.lines(meter, keepingEnds: false)
        // Jinja appends a line break before it splits, so a text that ends with one has an empty last line. After a
        // carriage return at the end, both form one line break.
        let last = text.scalar(before: text.size) ?? "\n"
        if last.isPythonLineBreak, last != "\r" { try lines.append(.empty) }
        return try self.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
            for (index, line) in lines.elements.enumerated() {
                if index > 0 { try writer.append("\n", .template) }
                if index == 0 ? first : blank || !line.isEmpty { try writer.append(indentation, times: times) }
                try writer.append(line)
            }
        }
    }
}
