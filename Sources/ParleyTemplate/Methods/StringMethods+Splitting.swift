// SPDX-License-Identifier: Apache-2.0

extension StringMethods {
    /// Methods that take a text apart.
    static let splitting: [String: Method] = [
        "split": split("split", words: { $0.words(limit: $1) }, parts: { $0.split(by: $1, limit: $2) }),
        "rsplit": split(
            "rsplit", words: { $0.wordsFromRight(limit: $1) }, parts: { $0.splitFromRight(by: $1, limit: $2) }),
        "splitlines": { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["keepends"], of: "splitlines")
            try interpreter.charge(characters: text.count)
            return try interpreter.list(text.lines(keepingEnds: bound.bool(0)).map { .string($0) }, origin: text.origin)
        },
        "partition": { interpreter, text, arguments throws(TemplateError) in
            let separator = try separator(arguments, "partition")
            let parts = text.split(by: separator, limit: 1)
            let found = parts.count > 1
            let rest =
                found
                ? [text[parts[0].count..<(parts[0].count + separator.count)], parts[1]]
                : [MarkedText().marked(asMarkup: text.isMarkup), MarkedText().marked(asMarkup: text.isMarkup)]
            try interpreter.charge(characters: text.count)
            return try interpreter.tuple(([parts[0]] + rest).map { .string($0) }, origin: text.origin)
        },
        "rpartition": { interpreter, text, arguments throws(TemplateError) in
            let separator = try separator(arguments, "rpartition")
            let parts = text.splitFromRight(by: separator, limit: 1)
            let found = parts.count > 1
            let start =
                found
                ? [parts[0], text[parts[0].count..<(parts[0].count + separator.count)]]
                : [MarkedText().marked(asMarkup: text.isMarkup), MarkedText().marked(asMarkup: text.isMarkup)]
            try interpreter.charge(characters: text.count)
            return try interpreter.tuple((start + [parts[parts.count - 1]]).map { .string($0) }, origin: text.origin)
        },
    ]

    private static func separator(_ arguments: CallArguments, _ name: String) throws(TemplateError) -> MarkedText {
        let separator = try only(arguments, name)
        guard !separator.isEmpty else { throw TemplateError(.invalidValue, "empty separator") }
        return separator
    }

    private static func split(
        _ name: String, words: @escaping @Sendable (MarkedText, Int) -> [MarkedText],
        parts: @escaping @Sendable (MarkedText, MarkedText, Int) -> [MarkedText]
    ) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["sep", "maxsplit"], of: name)
            let maximum = try bound.integer(1) ?? -1
            let limit = maximum < 0 ? .max : maximum
            try interpreter.charge(characters: text.count)
            let result: [MarkedText]
            if let value = bound.present(0) {
                guard let separator = value.text else { throw bound.wrong(0, "a string", value) }
                guard !separator.isEmpty else { throw TemplateError(.invalidValue, "empty separator") }
                try interpreter.charge(characters: separator.count)
                result = parts(text, separator, limit)
            } else {
                result = words(text, limit)
            }
            return try interpreter.list(result.map { .string($0) }, origin: text.origin)
        }
    }
}
