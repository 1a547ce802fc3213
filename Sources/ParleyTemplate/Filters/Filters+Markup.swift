// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Filters {
    private static let escape: Filter = { interpreter, value, arguments throws(TemplateError) in
        try arguments.expectNone(of: "escape")
        return try interpreter.text(try interpreter.printed(value).escaped)
    }

    /// Filters for HTML and URLs.
    static let markup: [String: Filter] = [
        "escape": escape,
        "e": escape,
        "forceescape": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "forceescape")
            return try interpreter.text(try interpreter.printed(value).marked(asMarkup: false).escaped)
        },
        "safe": simple("safe") { $0.marked(asMarkup: true) },
        "striptags": simple("striptags") { text in
            let words = text.withoutTags.words(limit: .max)
            return MarkedText.joined(words, separator: MarkedText(" ", .template)).unescaped
        },
        "urlencode": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "urlencode")
            let pairs: [Value]
            switch value {
            case .mapping(let mapping): pairs = try MappingMethods.pairs(.list, mapping, interpreter).items
            case .sequence: pairs = try interpreter.elements(of: value)
            default: return try interpreter.text(try interpreter.printed(value).urlQuoted(keepsSlashes: true))
            }
            var parts: [MarkedText] = []
            for pair in pairs {
                let both = try interpreter.elements(of: pair)
                guard both.count == 2 else { throw TemplateError(.invalidValue, "urlencode needs pairs") }
                var part = try interpreter.printed(both[0]).urlQuoted(keepsSlashes: false)
                part.append("=", .template)
                part.append(try interpreter.printed(both[1]).urlQuoted(keepsSlashes: false))
                parts.append(part)
            }
            return .string(try interpreter.joined(parts, separator: MarkedText("&", .template)))
        },
        "xmlattr": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["autospace"], of: "xmlattr")
            guard case .mapping(let mapping) = value else { throw wrongInput("xmlattr", "a mapping", value) }
            var parts: [MarkedText] = []
            for (key, value) in mapping.members where !value.isNone && !value.isUndefined {
                guard let name = key.text,
                    !name.scalars.contains(where: { $0.isPythonSpace || "/>=".unicodeScalars.contains($0) })
                else { throw TemplateError(.invalidValue, "Invalid character in attribute name") }
                var part = name.escaped
                part.append("=\"", .template)
                part.append(try interpreter.printed(value).escaped)
                part.append("\"", .template)
                parts.append(part)
            }
            let space = MarkedText(" ", .template)
            let leadsWithSpace = (bound[0]?.isTrue ?? true) && !parts.isEmpty
            return .string(try interpreter.joined(leadsWithSpace ? [MarkedText()] + parts : parts, separator: space))
        },
    ]
}

extension MarkedText {
    /// The text as HTML, unless it is HTML already.
    var escaped: MarkedText {
        guard !isMarkup else { return self }
        return mapScalars { _, scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "'": "&#39;"
            case "\"": "&#34;"
            default: String(scalar)
            }
        }.marked(asMarkup: true)
    }

    /// Percent encoding of all but letters, digits and a few marks.
    func urlQuoted(keepsSlashes: Bool) -> MarkedText {
        mapScalars { _, scalar in
            if scalar.isASCII, scalar.isPythonLetter || scalar.isPythonDecimal || "_.-~".unicodeScalars.contains(scalar)
            {
                return String(scalar)
            }
            if scalar == "/", keepsSlashes { return "/" }
            if scalar == " ", !keepsSlashes { return "+" }
            return String(scalar).utf8.map { byte in
                (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }.joined()
        }.marked(asMarkup: false)
    }

    /// With the entities that escaping makes turned back into characters.
    fileprivate var unescaped: MarkedText {
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&amp;", "&"),
        ]
        return entities.reduce(self) { text, entity in
            let entityText = MarkedText(entity.0, .template)
            let positions = text.positions(of: entityText, in: 0..<text.count)
            return text.replacing(positions, old: entityText, with: MarkedText(entity.1, text.origin))
        }
    }

    /// Without HTML's comments and tags, as MarkupSafe finds them.
    fileprivate var withoutTags: MarkedText {
        removing(from: "<!--", to: "-->").removing(from: "<", to: ">").marked(asMarkup: false)
    }

    private func removing(from start: StaticString, to end: StaticString) -> MarkedText {
        let (opening, closing) = (MarkedText("\(start)", .template), MarkedText("\(end)", .template))
        let closings = positions(of: closing, in: 0..<count)
        var result = MarkedText()
        var index = 0
        var next = 0
        for position in positions(of: opening, in: 0..<count) where position >= index {
            while next < closings.count, closings[next] < position { next += 1 }
            guard next < closings.count else { break }
            result.append(self[index..<position])
            index = closings[next] + closing.count
        }
        result.append(self[index..<count])
        return result
    }
}
