// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Reads calls as Hermes, Qwen and Llama 3 write them: `{"name": "get_weather", "arguments": {"city": "Bern"}}`.
///
/// Arguments may also be called `parameters`, be a JSON text within a string, or be missing; the call may be wrapped as
/// in OpenAI's messages; several may stand in an array or behind each other. Where the text is no JSON it is read as
/// Python writes maps, and where it does not begin with a bracket as ``PythonicCallParser`` does.
public struct JSONCallParser: FunctionCallParser {
    private let argumentsKey: String
    private let grouping: FunctionCallNotation.Grouping

    /// Creates a parser. It reads every form; what is given here says how the model writes.
    ///
    /// - Parameters:
    ///   - argumentsKey: what the arguments are called, `arguments` or `parameters`.
    ///   - grouping: how several calls stand together.
    public init(argumentsKey: String = "arguments", grouping: FunctionCallNotation.Grouping = .tagged) {
        self.argumentsKey = argumentsKey
        self.grouping = grouping
    }

    /// Calls in JSON.
    public var notation: FunctionCallNotation? { .json(argumentsKey: argumentsKey, grouping: grouping) }

    /// The calls in a text, in order.
    ///
    /// - Throws: ``FunctionCallSyntaxError`` where the text holds no call or a malformed one.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        let scalars = text.unicodeScalars
        let isPythonic = scalars.first { !$0.properties.isWhitespace }.map { $0 != "{" && $0 != "[" } ?? false
        let first = scalars.first { !$0.properties.isWhitespace && $0 != "[" }
        if isPythonic || first?.properties.isAlphabetic == true || first == "_" {
            return try PythonicCallParser().parsePythonic(text)
        }
        return try parseJSON(text)
    }

    func parseJSON(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall] = []
        for value in try values(text) {
            for element in value.array ?? [value] {
                try LiteralReader.checkCount(calls.count)
                calls.append(try Self.call(of: element))
            }
        }
        guard !calls.isEmpty else { throw FunctionCallSyntaxError(.empty, "There is no call between the tags.") }
        return calls
    }

    private static let limits = JSONLimits(depth: LiteralReader.maximumDepth)

    /// The values in a text, behind each other or with commas or semicolons between them.
    private func values(_ text: String) throws(FunctionCallSyntaxError) -> [JSONValue] {
        if let value = try? JSONValue(parsing: text, limits: Self.limits) {
            return [value]
        }
        return try LiteralReader.reading(text, Self.readValues)
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
}
