// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyConversation
import ParleyJSON

/// Calls in JSON, as several families write them: `{"name": "get_weather", "arguments": {"city": "Bern"}}`.
enum JSONCalls {
    /// The calls in a text, in order; see ``HermesDialect`` for the forms. Text that is not JSON is parsed as Python
    /// dictionaries or, if it does not begin with a bracket, as Python calls.
    static func read(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        let scalars = text.unicodeScalars
        let isPythonic = scalars.first { !$0.properties.isWhitespace }.map { $0 != "{" && $0 != "[" } ?? false
        let first = scalars.first { !$0.properties.isWhitespace && $0 != "[" }
        if isPythonic || first?.properties.isAlphabetic == true || first == "_" { return try PythonicCalls.read(text) }
        return try readJSON(text)
    }

    /// The calls in a text that begins with a bracket or brace.
    static func readJSON(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall] = []
        for value in try values(text) {
            for element in value.array ?? [value] {
                try LiteralReader.checkCount(calls.count)
                calls.append(try call(of: element))
            }
        }
        guard !calls.isEmpty else { throw FunctionCallSyntaxError(.empty, "There is no call between the tags.") }
        return calls
    }

    private static let limits = JSONLimits(depth: LiteralReader.maximumDepth)

    /// The values in a text, after each other or separated by commas or semicolons.
    private static func values(_ text: String) throws(FunctionCallSyntaxError) -> [JSONValue] {
        if let value = try? JSONValue(parsing: text, limits: limits) {
            return [value]
        }
        return try LiteralReader.reading(text, readValues)
    }

    private static func readValues(_ reader: inout LiteralReader) throws(FunctionCallSyntaxError) -> [JSONValue] {
        var values: [JSONValue] = []
        while true {
            while reader.take(",") || reader.take(";") {}
            reader.skipWhitespace()
            if reader.isAtEnd { return values }
            try LiteralReader.checkCount(values.count)
            values.append(try reader.value())
        }
    }

    private static func call(of value: JSONValue) throws(FunctionCallSyntaxError) -> ParsedFunctionCall {
        guard value.object != nil else {
            throw FunctionCallSyntaxError(.malformed, "A call is an object with a name and arguments; this is none.")
        }
        let wrapped = value["function"]
        let body = wrapped?.object != nil ? wrapped ?? value : value
        guard let name = body["name"]?.string ?? wrapped?.string, !name.isEmpty else {
            throw FunctionCallSyntaxError(.missingName, "The call does not name a function.")
        }
        return ParsedFunctionCall(
            id: value["id"]?.string, name: name, arguments: try arguments(body["arguments"] ?? body["parameters"]))
    }

    private static func arguments(_ value: JSONValue?) throws(FunctionCallSyntaxError) -> JSONObject {
        switch value {
        case nil, .null?: return [:]
        case .object(let members)?: return members
        case .string(let text)?:
            if text.allSatisfy(\.isWhitespace) { return [:] }
            if let members = try? JSONValue(parsing: text, limits: limits).object { return members }
        default: break
        }
        throw FunctionCallSyntaxError(.invalidArguments, "The arguments are no object.")
    }

    // MARK: Writing

    /// A call as it is written in prompts.
    static func spell(_ call: FunctionCall, argumentsKey: String = "arguments") -> String {
        let arguments = JSONValue.object(call.arguments).text(.python)
        return "{\"name\": \(JSONValue.string(call.name).text()), \"\(argumentsKey)\": \(arguments)}"
    }

    /// Calls as they are written in prompts, each between the tags of a parser, on lines of their own.
    static func spell(
        _ calls: [FunctionCall], for parser: some FunctionCallParser, argumentsKey: String = "arguments"
    ) -> String {
        let texts = calls.map { spell($0, argumentsKey: argumentsKey) }
        if let closing = parser.closing {
            return texts.map { "\(parser.opening)\n\($0)\n\(closing)" }.joined(separator: "\n")
        }
        return parser.allowsBareJSON ? texts.joined(separator: "\n") : texts.map { parser.opening + $0 }.joined()
    }

    /// The grammar of a call of one of several functions.
    ///
    /// - Parameters:
    ///   - functions: what may be called.
    ///   - argumentsKey: the name of the member that holds the arguments.
    ///   - ending: what may follow the arguments.
    /// - Returns: the grammar of the object.
    static func grammar(
        calling functions: [Function], argumentsKey: String = "arguments", ending: [Grammar] = []
    ) -> Grammar {
        let calls = functions.map { function in
            Grammar.sequence([
                .literal(JSONValue.string(function.name).text()), .literal(","), .gap,
                .literal("\"\(argumentsKey)\":"), .pattern(" ?"),
                .object(function.parameters.value, closesObjects: true),
            ])
        }
        return .sequence(
            [.literal("{"), .gap, .literal("\"name\":"), .pattern(" ?"), .choice(calls)] + ending
                + [.gap, .literal("}")])
    }
}
