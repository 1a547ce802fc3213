// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Reads calls as Hermes, Qwen and Llama 3 write them: `{"name": "get_weather", "arguments": {"city": "Bern"}}`.
///
/// Arguments may also be called `parameters`, be a JSON text within a string, or be missing; the call may be wrapped as
/// in OpenAI's messages; several may stand in an array or behind each other. Where the text is no JSON it is read as
/// Python writes maps, and where it does not begin with a bracket as ``PythonicCallParser`` does.
public struct JSONCallParser: FunctionCallParser {
    /// Creates a parser.
    public init() {}

    /// The calls in a text, in order.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        let start = text.first { !$0.isWhitespace }
        let isPythonic = start.map { $0 != "{" && $0 != "[" } ?? false
        if isPythonic || text.drop(while: { $0.isWhitespace || $0 == "[" }).first?.isLetter == true {
            return try PythonicCallParser().parsePythonic(text)
        }
        return try parseJSON(text)
    }

    func parseJSON(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall] = []
        for value in try values(text) { calls += try Self.calls(of: value) }
        guard !calls.isEmpty else { throw FunctionCallSyntaxError(.empty, "There is no call between the tags.") }
        return calls
    }

    /// The values in a text, behind each other or with commas or semicolons between them.
    private func values(_ text: String) throws(FunctionCallSyntaxError) -> [JSONValue] {
        if let value = try? JSONValue(parsing: text, limits: JSONLimits(depth: LiteralReader.maximumDepth)) {
            return [value]
        }
        do throws(FunctionCallSyntaxError) {
            return try values(LiteralReader(text))
        } catch {
            guard let values = try? values(LiteralReader(text, endsStringsAfterBackslash: true)) else { throw error }
            return values
        }
    }

    private func values(_ reader: LiteralReader) throws(FunctionCallSyntaxError) -> [JSONValue] {
        var reader = reader
        var values: [JSONValue] = []
        while true {
            while reader.take(",") || reader.take(";") {}
            reader.skipWhitespace()
            if reader.isAtEnd { return values }
            values.append(try reader.value())
        }
    }

    private static func calls(of value: JSONValue) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        if let elements = value.array {
            return try elements.map { element throws(FunctionCallSyntaxError) in try call(of: element) }
        }
        return [try call(of: value)]
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
            if let members = try? JSONValue(parsing: text).object { return members }
        default: break
        }
        throw FunctionCallSyntaxError(.invalidArguments, "The arguments are no object.")
    }
}
