// SPDX-License-Identifier: Apache-2.0

extension StringMethods {
    /// Methods that give a changed text.
    static let changing: [String: Method] = [
        "upper": simple("upper") { $0.uppercased() },
        "lower": simple("lower") { $0.lowercased() },
        "casefold": simple("casefold") { $0.lowercased() },
        "capitalize": simple("capitalize") { $0.capitalized() },
        "title": simple("title") { $0.titled() },
        "swapcase": simple("swapcase") { $0.swappedCase() },
        "strip": stripping("strip", .both),
        "lstrip": stripping("lstrip", .left),
        "rstrip": stripping("rstrip", .right),
        "removeprefix": { interpreter, text, arguments throws(TemplateError) in
            let prefix = try only(arguments, "removeprefix")
            return try interpreter.text(text.starts(with: prefix) ? text[prefix.count..<text.count] : text)
        },
        "removesuffix": { interpreter, text, arguments throws(TemplateError) in
            let suffix = try only(arguments, "removesuffix")
            let isSuffix = !suffix.isEmpty && text.ends(with: suffix)
            return try interpreter.text(isSuffix ? text[0..<(text.count - suffix.count)] : text)
        },
        "replace": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["old", "new", "count"], of: "replace", required: 2)
            let (old, new) = (try bound.text(0) ?? MarkedText(), try bound.text(1) ?? MarkedText())
            return .string(try interpreter.replaced(text, old, with: new, limit: try bound.integer(2) ?? -1))
        },
        "center": padding("center") { total, missing in missing / 2 + (missing & total & 1) },
        "ljust": padding("ljust") { _, _ in 0 },
        "rjust": padding("rjust") { _, missing in missing },
        "zfill": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["width"], of: "zfill", required: 1)
            let missing = max((try bound.integer(0) ?? 0).subtractingReportingOverflow(text.count).partialValue, 0)
            try interpreter.charge(characters: text.count + min(missing, .max - text.count))
            let hasSign = text.scalars.first == "-" || text.scalars.first == "+"
            var result = text[0..<(hasSign ? 1 : 0)]
            result.append(MarkedText("0", .template).repeated(missing))
            result.append(text[(hasSign ? 1 : 0)..<text.count])
            return .string(result)
        },
        "expandtabs": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["tabsize"], of: "expandtabs")
            return .string(try interpreter.expandingTabs(in: text, size: try bound.integer(0) ?? 8))
        },
        "join": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["iterable"], of: "join", required: 1)
            var parts: [MarkedText] = []
            for item in try interpreter.elements(of: bound[0] ?? .none) {
                guard let part = item.text else {
                    throw TemplateError(.wrongType, "sequence item: expected str instance, \(item.typeName) found")
                }
                parts.append(text.isMarkup ? part.escaped : part)
            }
            return .string(try interpreter.joined(parts, separator: text).marked(asMarkup: text.isMarkup))
        },
        "format": { interpreter, text, arguments throws(TemplateError) in
            .string(try interpreter.formatBraces(text, arguments).marked(asMarkup: text.isMarkup))
        },
    ]

    /// The only argument, which must be a string.
    static func only(_ arguments: CallArguments, _ name: String) throws(TemplateError) -> MarkedText {
        try arguments.bound(to: ["value"], of: name, required: 1).text(0) ?? MarkedText()
    }

    private static func stripping(_ name: String, _ side: MarkedText.Side) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["chars"], of: name)
            if let value = bound.present(0), value.text == nil { throw bound.wrong(0, "a string", value) }
            return try interpreter.text(text.stripped(side, of: bound.present(0)?.text))
        }
    }

    /// `left` tells from the whole width and from what is missing how much goes before the text.
    private static func padding(_ name: String, _ left: @escaping @Sendable (Int, Int) -> Int) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["width", "fillchar"], of: name, required: 1)
            let fill = try bound.text(1) ?? MarkedText(" ", .template)
            guard fill.count == 1 else {
                throw TemplateError(.wrongType, "The fill character must be exactly one character long")
            }
            let total = try bound.integer(0) ?? 0
            guard total > text.count else { return .string(text) }
            try interpreter.charge(characters: total)
            let missing = total - text.count
            let before = left(total, missing)
            return .string(text.padded(left: before, right: missing - before, with: fill))
        }
    }
}

extension Interpreter {
    func replaced(
        _ text: MarkedText, _ old: MarkedText, with new: MarkedText, limit: Int
    ) throws(TemplateError) -> MarkedText {
        try charge(characters: old.count)
        let positions = text.positions(of: old, in: 0..<text.count, limit: limit < 0 ? .max : limit)
        try charge(characters: text.countAfterReplacing(positions, old: old, new: new) ?? .max)
        return text.replacing(positions, old: old, with: new).marked(asMarkup: text.isMarkup)
    }

    func joined(_ parts: [MarkedText], separator: MarkedText) throws(TemplateError) -> MarkedText {
        for part in parts { try charge(characters: part.count + separator.count) }
        return MarkedText.joined(parts, separator: separator)
    }

    func expandingTabs(in text: MarkedText, size: Int) throws(TemplateError) -> MarkedText {
        var result = MarkedText()
        var column = 0
        for (index, scalar) in text.scalars.enumerated() {
            if scalar == "\t" {
                let width = size > 0 ? size - column % size : 0
                try charge(characters: width)
                result.append(MarkedText(" ", text.origin(at: index)).repeated(width))
                column = column &+ width
            } else {
                try charge(characters: 1)
                result.append(scalar, text.origin(at: index))
                column = scalar == "\n" || scalar == "\r" ? 0 : column + 1
            }
        }
        return result
    }
}
