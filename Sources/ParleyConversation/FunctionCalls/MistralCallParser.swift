// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Reads calls as Mistral's models write them behind `[TOOL_CALLS]`.
///
/// The older models write a list in JSON, `[{"name": "get_weather", "arguments": {"city": "Bern"}, "id": "aB3dE5gH7"}]`,
/// the newer ones `get_weather[ARGS]{"city": "Bern"}`, with `[CALL_ID]` and an id before `[ARGS]` where they have been
/// trained so, and `[TOOL_CALLS]` before each further call. Either parser reads all of them.
public struct MistralCallParser: FunctionCallParser {
    /// How a model writes its calls.
    public var notation: FunctionCallNotation?

    /// A parser for models that write a list in JSON.
    public static let list = MistralCallParser(
        notation: .json(
            ending: [
                .optional([.text(","), .gap(" "), .text("\"id\":"), .space(" "), .text("\""), .id, .text("\"")])
            ],
            grouping: .list(opening: [.space(""), .text("[")], closing: "]")))

    /// A parser for models that write name and arguments.
    public static let named = MistralCallParser(
        notation: FunctionCallNotation([
            .name, .optional([.tag("[CALL_ID]"), .id]), .tag("[ARGS]"), .arguments,
        ]))

    /// The calls in a text, in order.
    ///
    /// - Throws: ``FunctionCallSyntaxError`` where the text holds no call or a malformed one.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall]
        switch text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) {
        case "[", "{": calls = try JSONCallParser().parseJSON(text)
        default: calls = try LiteralReader.reading(text, Self.calls)
        }
        // Their templates refuse conversations with other ids.
        for index in calls.indices where !Self.isID(calls[index].id) { calls[index].id = nil }
        return calls
    }

    private static func calls(
        _ reader: inout LiteralReader
    ) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall] = []
        reader.skipWhitespace()
        guard !reader.isAtEnd else { throw FunctionCallSyntaxError(.empty, "There is no call behind the tag.") }
        repeat {
            try LiteralReader.checkCount(calls.count)
            calls.append(try call(&reader))
            reader.skipWhitespace()
        } while reader.take(tag: "[TOOL_CALLS]")
        guard reader.isAtEnd else { throw reader.failure("Only another call may follow a call.") }
        return calls
    }

    private static func call(_ reader: inout LiteralReader) throws(FunctionCallSyntaxError) -> ParsedFunctionCall {
        let name = try reader.functionName()
        let id = reader.take(tag: "[CALL_ID]") ? reader.plainName() : nil
        _ = reader.take(tag: "[ARGS]")
        reader.skipWhitespace()
        guard reader.current == UInt8(ascii: "{") else {
            throw reader.failure("The arguments are expected as an object.")
        }
        guard case .object(let arguments) = try reader.value() else { throw reader.failure("An object is expected.") }
        return ParsedFunctionCall(id: id, name: name, arguments: arguments)
    }

    private static func isID(_ id: String?) -> Bool {
        guard let id else { return true }
        return id.utf8.count == 9 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
}
