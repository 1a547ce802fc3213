// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Filters {
    private static let escape: Filter = { interpreter, value, arguments throws(TemplateError) in
        try arguments.expectNone(of: "escape")
        return .string(try interpreter.escaped(try interpreter.printed(value)))
    }

    /// Filters for HTML and URLs.
    static let markup: [String: Filter] = [
        "escape": escape,
        "e": escape,
        "forceescape": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "forceescape")
            return .string(try interpreter.escaped(try interpreter.printed(value).marked(asMarkup: false)))
        },
        "safe": simple("safe") { text, _ throws(TemplateError) in text.marked(asMarkup: true) },
        "striptags": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "striptags")
            try interpreter.meter.work(6 * Meter.ticksPerStep)
            let text = try interpreter.printed(value).marked(asMarkup: false)
            let untagged = try text.removing(from: "<!--", to: "-->", interpreter)
                .removing(from: "<", to: ">", interpreter)
            let words = try untagged.words(interpreter.meter, limit: .max)
            return .string(try interpreter.unescaped(try interpreter.joined(words, separator: .space)))
        },
        "urlencode": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "urlencode")
            let pairs: Elements
            switch value {
            case .mapping(let mapping): pairs = try MappingMethods.pairs(.list, mapping, interpreter).takeAll()
            case .sequence: pairs = try interpreter.elements(of: value)
            default:
                let text = try interpreter.printed(value)
                return .string(
                    try interpreter.text { (writer) throws(TemplateError) in
                        try writer.append(urlQuoting: text, keepsSlashes: true)
                    })
            }
            return .string(
                try interpreter.text { (writer) throws(TemplateError) in
                    for pair in pairs {
                        let both = try interpreter.elements(of: pair)
                        guard both.count == 2 else { throw TemplateError(.invalidValue, "urlencode needs pairs") }
                        if writer.size > 0 { try writer.append("&", .template) }
                        try writer.append(urlQuoting: try interpreter.printed(both[0]), keepsSlashes: false)
                        try writer.append("=", .template)
                        try writer.append(urlQuoting: try interpreter.printed(both[1]), keepsSlashes: false)
                    }
                })
        },
        "xmlattr": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["autospace"], of: "xmlattr")
            guard case .mapping(let mapping) = value else { throw wrongInput("xmlattr", "a mapping", value) }
            let leadsWithSpace = bound[0]?.isTrue ?? true
            return .string(
                try interpreter.text { (writer) throws(TemplateError) in
                    for (key, value) in mapping.members where !value.isNone && !value.isUndefined {
                        guard let name = key.value.text,
                            try !name.contains(
                                interpreter.meter,
                                where: { $0.isPythonSpace || "/>=".unicodeScalars.contains($0) })
                        else { throw TemplateError(.invalidValue, "Invalid character in attribute name") }
                        if leadsWithSpace || writer.size > 0 { try writer.append(" ", .template) }
                        try writer.append(escaping: name)
                        try writer.append("=\"", .template)
                        try writer.append(escaping: try interpreter.printed(value))
                        try writer.append("\"", .template)
                    }
                })
        },
    ]
}

extension Interpreter {
    /// The text as HTML, unless it is HTML already.
    func escaped(_ text: MarkedText) throws(TemplateError) -> MarkedText {
        guard !text.isMarkup else { return text }
        return try self.text(asMarkup: true) { (writer) throws(TemplateError) in try writer.append(escaping: text) }
    }

    /// The text with entities turned back into characters.
    fileprivate func unescaped(_ text: MarkedText) throws(TemplateError) -> MarkedText {
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&amp;", "&"),
        ]
        var result = text
        for (entity, character) in entities {
            // If any of the text is input, the characters of entities count as input.
            let replacement = try self.text { (writer) throws(TemplateError) in
                try writer.append(string: character, result.origin)
            }
            result = try replaced(result, MarkedText(source: entity), with: replacement, limit: -1)
        }
        return result
    }
}

extension TextWriter {
    /// Writes text as HTML, unless it is HTML already.
    func append(escaping text: MarkedText) throws(TemplateError) {
        guard !text.isMarkup else { return try append(text) }
        var start = 0
        for index in 0..<text.size {
            try meter.work(2)
            let entity: StaticString
            switch text[index] {
            case UInt8(ascii: "&"): entity = "&amp;"
            case UInt8(ascii: "<"): entity = "&lt;"
            case UInt8(ascii: ">"): entity = "&gt;"
            case UInt8(ascii: "'"): entity = "&#39;"
            case UInt8(ascii: "\""): entity = "&#34;"
            default: continue
            }
            try meter.work(8)
            try append(text[start..<index])
            try append(entity, text.origin(at: index))
            start = index + 1
        }
        try append(text[start..<text.size])
    }

    /// Writes the percent encoding of all but letters, digits and a few marks.
    func append(urlQuoting text: MarkedText, keepsSlashes: Bool) throws(TemplateError) {
        let digits = Array("0123456789ABCDEF".utf8)
        for index in 0..<text.size {
            try meter.work(16)
            let (byte, origin) = (text[index], text.origin(at: index))
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "~"):
                try append(ascii: byte, origin)
            case UInt8(ascii: "/") where keepsSlashes: try append(ascii: byte, origin)
            case UInt8(ascii: " ") where !keepsSlashes: try append("+", origin)
            default:
                try append("%", origin)
                try append(ascii: digits[Int(byte >> 4)], origin)
                try append(ascii: digits[Int(byte & 15)], origin)
            }
        }
    }
}

extension MarkedText {
    /// The text without HTML comments or tags, as MarkupSafe finds them.
    fileprivate func removing(
        from start: String, to end: String, _ interpreter: Interpreter
    ) throws(TemplateError) -> MarkedText {
        let (opening, closing) = (MarkedText(source: start), MarkedText(source: end))
        let meter = interpreter.meter
        var index = 0
        return try interpreter.text { (writer) throws(TemplateError) in
            while let position = try firstPlace(of: opening, in: index..<size, meter),
                let stop = try firstPlace(of: closing, in: position..<size, meter)
            {
                try writer.append(self[index..<position])
                index = stop + closing.size
            }
            try writer.append(self[index..<size])
        }
    }
}
