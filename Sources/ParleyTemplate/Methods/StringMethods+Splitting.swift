// SPDX-License-Identifier: Apache-2.0

extension StringMethods {
    /// Methods that split a text.
    static let splitting: [String: Method] = [
        "split": split("split", fromRight: false),
        "rsplit": split("rsplit", fromRight: true),
        "splitlines": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["keepends"], of: "splitlines")
            let lines = try text.lines(interpreter.meter, keepingEnds: bound.bool(0))
            return try interpreter.sequence(.list, ofTexts: lines, origin: text.origin)
        },
        "partition": partition("partition", fromRight: false),
        "rpartition": partition("rpartition", fromRight: true),
    ]

    private static func partition(_ name: String, fromRight: Bool) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let separator = try only(arguments, name)
            guard !separator.isEmpty else { throw TemplateError(.invalidValue, "empty separator") }
            let whole = 0..<text.size
            let place =
                fromRight
                ? try text.lastPlace(of: separator, in: whole, interpreter.meter)
                : try text.firstPlace(of: separator, in: whole, interpreter.meter)
            let empty = text[0..<0]
            let parts: [MarkedText]
            if let place {
                let end = place + separator.size
                parts = [text[0..<place], text[place..<end], text[end..<text.size]]
            } else {
                parts = fromRight ? [empty, empty, text] : [text, empty, empty]
            }
            return try interpreter.sequence(.tuple, of: parts.map { .string($0) }, origin: text.origin)
        }
    }

    private static func split(_ name: String, fromRight: Bool) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["sep", "maxsplit"], of: name)
            let maximum = try bound.integer(1) ?? -1
            let limit = maximum < 0 ? .max : maximum
            let meter = interpreter.meter
            let parts: Row<MarkedText>
            if let value = bound.present(0) {
                guard let separator = value.text else { throw bound.wrong(0, "a string", value) }
                guard !separator.isEmpty else { throw TemplateError(.invalidValue, "empty separator") }
                parts =
                    fromRight
                    ? try text.splitFromRight(meter, by: separator, limit: limit)
                    : try text.split(meter, by: separator, limit: limit)
            } else {
                parts =
                    fromRight ? try text.wordsFromRight(meter, limit: limit) : try text.words(meter, limit: limit)
            }
            return try interpreter.sequence(.list, ofTexts: parts, origin: text.origin)
        }
    }
}
