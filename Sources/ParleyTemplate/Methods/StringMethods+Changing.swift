// SPDX-License-Identifier: Apache-2.0

extension StringMethods {
    /// Methods that give a changed text.
    static let changing: [String: Method] = [
        "upper": converting("upper", to: .upper),
        "lower": converting("lower", to: .lower),
        "casefold": converting("casefold", to: .lower),
        "capitalize": converting("capitalize", to: .capitalized),
        "title": converting("title", to: .title),
        "swapcase": converting("swapcase", to: .swapped),
        "strip": stripping("strip", .both),
        "lstrip": stripping("lstrip", .left),
        "rstrip": stripping("rstrip", .right),
        "removeprefix": { interpreter, text, arguments throws(TemplateError) in
            let prefix = try only(arguments, "removeprefix")
            guard try text.starts(with: prefix, interpreter.meter) else { return .string(text) }
            return .string(text[prefix.size..<text.size])
        },
        "removesuffix": { interpreter, text, arguments throws(TemplateError) in
            let suffix = try only(arguments, "removesuffix")
            guard try text.ends(with: suffix, interpreter.meter) else { return .string(text) }
            return .string(text[0..<(text.size - suffix.size)])
        },
        "replace": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["old", "new", "count"], of: "replace", required: 2)
            let (old, new) = (try bound.text(0) ?? .empty, try bound.text(1) ?? .empty)
            return .string(try interpreter.replaced(text, old, with: new, limit: try bound.integer(2) ?? -1))
        },
        "center": center,
        "ljust": padding("ljust") { _, _ in 0 },
        "rjust": padding("rjust") { _, missing in missing },
        "zfill": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["width"], of: "zfill", required: 1)
            let count = try text.count(interpreter.meter)
            let missing = max(max(try bound.integer(0) ?? 0, 0) - count, 0)
            let hasSign = !text.isEmpty && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+"))
            return .string(
                try interpreter.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
                    try writer.append(text[0..<(hasSign ? 1 : 0)])
                    try writer.append(MarkedText(source: "0"), times: missing)
                    try writer.append(text[(hasSign ? 1 : 0)..<text.size])
                })
        },
        "expandtabs": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["tabsize"], of: "expandtabs")
            return .string(try interpreter.expandingTabs(in: text, size: try bound.integer(0) ?? 8))
        },
        "join": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["iterable"], of: "join", required: 1)
            let items = try interpreter.elements(of: bound[0] ?? .none)
            return .string(
                try interpreter.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
                    for (index, item) in items.enumerated() {
                        try interpreter.meter.work(16)
                        guard let part = item.text else {
                            throw TemplateError(
                                .wrongType, "sequence item: expected str instance, \(item.typeName) found")
                        }
                        if index > 0 { try writer.append(text) }
                        if text.isMarkup { try writer.append(escaping: part) } else { try writer.append(part) }
                    }
                })
        },
        "format": { interpreter, text, arguments throws(TemplateError) in
            .string(try interpreter.formatBraces(text, arguments))
        },
    ]

    static let center = padding("center") { total, missing in missing / 2 + (missing & total & 1) }

    /// The only argument, which must be a string.
    static func only(_ arguments: CallArguments, _ name: String) throws(TemplateError) -> MarkedText {
        try arguments.bound(to: ["value"], of: name, required: 1).text(0) ?? .empty
    }

    private static func stripping(_ name: String, _ side: MarkedText.Side) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["chars"], of: name)
            if let value = bound.present(0), value.text == nil { throw bound.wrong(0, "a string", value) }
            return .string(try text.stripped(interpreter.meter, side, of: bound.present(0)?.text))
        }
    }

    /// A method that pads a text; `left` gives the padding before it, from the width and the missing characters.
    private static func padding(_ name: String, _ left: @escaping @Sendable (Int, Int) -> Int) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["width", "fillchar"], of: name, required: 1)
            let fill = try bound.text(1) ?? .space
            guard try fill.count(interpreter.meter) == 1 else {
                throw TemplateError(.wrongType, "The fill character must be exactly one character long")
            }
            let total = try bound.integer(0) ?? 0
            let count = try text.count(interpreter.meter)
            guard total > count else { return .string(text) }
            let missing = total - count
            let before = left(total, missing)
            return .string(
                try interpreter.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
                    try writer.append(fill, times: before)
                    try writer.append(text)
                    try writer.append(fill, times: missing - before)
                })
        }
    }
}

extension Interpreter {
    func replaced(
        _ text: MarkedText, _ old: MarkedText, with new: MarkedText, limit: Int
    ) throws(TemplateError) -> MarkedText {
        try self.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
            var (start, count) = (0, 0)
            try text.forEachPlace(of: old, in: 0..<text.size, meter) { (place) throws(TemplateError) in
                guard limit < 0 || count < limit else { return false }
                try writer.append(text[start..<place])
                try writer.append(new)
                start = place + old.size
                count += 1
                return true
            }
            try writer.append(text[start..<text.size])
        }
    }

    func joined(_ parts: Row<MarkedText>, separator: MarkedText) throws(TemplateError) -> MarkedText {
        try text { (writer) throws(TemplateError) in
            for (index, part) in parts.elements.enumerated() {
                if index > 0 { try writer.append(separator) }
                try writer.append(part)
            }
        }
    }

    fileprivate func expandingTabs(in text: MarkedText, size: Int) throws(TemplateError) -> MarkedText {
        try self.text { (writer) throws(TemplateError) in
            var column = 0
            for (index, scalar) in text.characters {
                if scalar == "\t" {
                    let width = size > 0 ? size - column % size : 0
                    let space = TextWriter(meter)
                    try space.append(scalar: " ", text.origin(at: index))
                    try writer.append(try space.finish(), times: width)
                    column = column &+ width
                } else {
                    try writer.append(scalar: scalar, text.origin(at: index))
                    column = scalar == "\n" || scalar == "\r" ? 0 : column &+ 1
                }
            }
        }
    }
}
