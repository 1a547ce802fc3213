// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
package import ParleyConversation
import ParleyDialect
import ParleyJSON
package import ParleyRuntime
import ParleyTokenizer

/// Functions with random parameters, and random calls that a model constrained to them may write.
package final class WrittenCalls: Sendable {
    /// The formats that have a grammar and whose arguments show their types.
    package static let formats: [FunctionCallFormat] = [
        .hermes, .lfmPythonic, .llama3JSON, .mistralJSON, .mistralNamed, .gemma,
    ]

    /// How the calls are written.
    package let format: FunctionCallFormat
    /// The functions that may be called.
    package let functions: [Function]
    private let masks: TokenMasks

    /// Nil where the schema allows no arguments at all.
    package convenience init?(_ format: FunctionCallFormat, _ random: SplitMix64) throws {
        var schemas = RandomSchema(random)
        let isQuoted = ![.lfmPythonic, .mistralNamed, .gemma].contains(format)
        var names = ["f", "get_weather", "get", "calendar.add-event", "2fa", "größe"]
        if isQuoted { names += ["user info", "q\"x\\", "{", "\u{301}", "</tool_call>"] }
        var functions: [Function] = []
        for _ in 0...schemas.int(0...2) {
            let name = names.remove(at: schemas.int(0...names.count - 1))
            functions.append(Function(name: name, description: "", parameters: JSONSchema(schemas.arguments())))
        }
        try self.init(format, calling: functions, allowsSeveral: schemas.oneIn(2))
    }

    /// Nil where the schemas allow no arguments at all.
    package init?(_ format: FunctionCallFormat, calling functions: [Function], allowsSeveral: Bool) throws {
        self.format = format
        self.functions = functions
        guard let grammar = format.dialect?.rest(calling: functions, allowsSeveral: allowsSeveral) else { return nil }
        guard let program = try Self.program(grammar) else { return nil }
        masks = TokenMasks(program, Self.trie)
    }

    /// Nil where nothing satisfies the grammar.
    private static func program(_ grammar: Grammar) throws -> ConstraintProgram? {
        do {
            return try ConstraintProgram(grammar)
        } catch {
            if error.code == .unsatisfiable { return nil }
            throw error
        }
    }

    /// A random text that may follow the opening tag, with tags spelled out; nil if it did not end.
    package func text(_ random: inout SplitMix64) throws -> String? {
        var constraint = Constraint(masks)
        var mask = TokenMask(vocabularySize: Self.tokens.count)
        var bytes: [UInt8] = []
        for step in 0..<1_500 {
            try constraint.allow(into: &mask)
            let allowed = Self.tokens.indices.filter { mask[TokenID($0)] }
            guard !allowed.isEmpty else { throw Failure("There is no way on behind \(Self.string(bytes))") }
            let closing = allowed.filter { Self.isClosing[$0] }
            let favours = !closing.isEmpty && Int.random(in: 0..<300, using: &random) < step + 40
            guard let token = (favours ? closing : allowed).randomElement(using: &random) else { return nil }
            if token == 0 { return Self.string(bytes) }
            guard constraint.accept(TokenID(token)) else {
                throw Failure("A token that is allowed is refused behind \(Self.string(bytes))")
            }
            let text = Self.tokens[token]
            bytes += text.first == 0xFF ? Array(text.dropFirst().dropLast()) : text
        }
        return nil
    }

    /// Checks that a text that the grammar allows is parsed to the calls that it stands for, by the parser and within a
    /// reply, and that these calls as written in prompts are allowed by the grammar and parsed to the same calls.
    package func check(_ text: String) throws {
        let expected = try CallReference.calls(in: text, format)
        let calls: [ParsedFunctionCall]
        do throws(FunctionCallSyntaxError) {
            var body = text
            if let closing = format.parser.closing, body.hasSuffix(closing) { body.removeLast(closing.count) }
            calls = try format.parser.parse(body)
        } catch {
            throw Failure("\(format.name): what may be written is not read (\(error)): \(text)")
        }
        try compare(calls, expected, "what may be written is read differently: \(text)")
        for call in calls {
            guard let index = functions.firstIndex(where: { $0.name == call.name }),
                try SchemaValidator(functions[index].parameters.value).accepts(.object(call.arguments))
            else { throw Failure("\(format.name): the arguments do not satisfy the schema: \(text)") }
        }
        try compare(routed(format.parser.opening + text), expected, "a reply is sorted differently: \(text)")
        if format.parser.allowsBareJSON {
            try compare(routed(text), expected, "a bare call is sorted differently: \(text)")
        }
        let spelled = self.spelled(calls)
        try compare(routed(spelled), expected, "what prompts show is read differently: \(spelled)")
        // Where a function has a parameter of an odd name, prompts show it only when it is given.
        guard spelled.contains("(**{") == text.contains("(**{") else { return }
        // Prompts show bare names, but such as the schema does not declare are written in quotes.
        guard format != .gemma || !text.contains("\":") else { return }
        try checkMayBeWritten(spelled, calls)
    }

    private func checkMayBeWritten(_ spelled: String, _ calls: [ParsedFunctionCall]) throws {
        // Integers beyond 64 bits have become doubles, and bounded numbers are written without exponents.
        guard calls.count == 1, !calls.contains(where: { Self.holdsWideNumber(.object($0.arguments)) }) else { return }
        let parser = format.parser
        let body = parser.allowsBareJSON ? spelled[...] : spelled.dropFirst(parser.opening.count)
        guard masks.program.accepts(body.utf8) else {
            throw Failure("\(format.name): what prompts show may not be written: \(spelled)")
        }
    }

    /// Calls as prompts show them.
    package func spelled(_ calls: [ParsedFunctionCall]) -> String { Self.spelled(calls, format) }

    package static func spelled(_ calls: [ParsedFunctionCall], _ format: FunctionCallFormat) -> String {
        let calls = calls.map { FunctionCall(id: "", name: $0.name, arguments: $0.arguments) }
        return format.dialect?.spell(calls) ?? ""
    }

    private func routed(_ output: String) throws -> [ParsedFunctionCall] {
        var router = ResponseRouter(.init(functionCalls: format, functionNames: Set(functions.map(\.name))))
        let parts = router.append(output) + router.finish()
        return try parts.flatMap { part in
            guard case .functionCalls(let calls) = part else {
                throw Failure("\(format.name): not only calls come of \(output): \(part)")
            }
            return calls.map { ParsedFunctionCall(name: $0.name, arguments: $0.arguments) }
        }
    }

    private func compare(_ calls: [ParsedFunctionCall], _ expected: [ParsedFunctionCall], _ what: String) throws {
        guard Self.text(of: calls) == Self.text(of: expected) else {
            throw Failure("\(format.name): \(what)\n\(Self.text(of: calls))\n\(Self.text(of: expected))")
        }
    }

    /// Calls in full, so that equality is that of every scalar.
    package static func text(of calls: [ParsedFunctionCall]) -> [[Unicode.Scalar]] {
        calls.map { Array("\($0.name) \(JSONValue.object($0.arguments).text())".unicodeScalars) }
    }

    private static func holdsWideNumber(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let number): number.magnitude >= 1e15 || (number != 0 && number.magnitude < 1e-4)
        case .array(let elements): elements.contains(where: holdsWideNumber)
        case .object(let members): members.values.contains(where: holdsWideNumber)
        default: false
        }
    }

    private static func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: The vocabulary

    /// The end, every byte, what often stands together, and the tags: as control tokens, and as text.
    private static let tokens: [[UInt8]] = {
        let pieces = [
            "\": ", "\": \"", "\", \"", "={\"", "True", "null", "None", "\\\"", "\\u00", "\\u", "()", "**{", "é", "日本",
            "👩‍👩",
            "city", "\"}", "\"]", ")]", "</tool_call>", "12", "0.5", "e+", "\n</parameter>",
        ]
        let tags = Set(formats.flatMap(\.tags)).sorted()
        // The last two bytes, which no text has, frame the control tokens.
        return [[]] + (0..<0xFE).map { [UInt8($0)] } + pieces.map { Array($0.utf8) }
            + tags.map { [0xFF] + Array($0.utf8) + [0xFE] }
    }()

    private static let isClosing: [Bool] = tokens.indices.map { index in
        index == 0 || tokens[index].first == 0xFF
            || ["\"", "]", "}", ")", "\n</parameter>"].contains(string(tokens[index]))
    }

    private static let trie = TokenTrie(tokens, endOfGeneration: [0])
}

/// A property that does not hold.
package struct Failure: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
