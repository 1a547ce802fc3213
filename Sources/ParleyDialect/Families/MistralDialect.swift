// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation
import OrderedCollections
import ParleyJSON

/// The dialects of Mistral's models, whose calls follow `[TOOL_CALLS]`.
///
/// The older models write a JSON list, `[{"name": "get_weather", "arguments": {"city": "Bern"}, "id": "aB3dE5gH7"}]`.
/// The newer ones write `get_weather[ARGS]{"city": "Bern"}`, some of them with `[CALL_ID]` and an id before `[ARGS]`,
/// and `[TOOL_CALLS]` before each further call. Either dialect parses all of these.
public struct MistralDialect: CallDialect {
    /// `mistral-json` or `mistral-named`.
    public let name: String
    /// The tag that begins a call, or a list of calls.
    public let opening = "[TOOL_CALLS]"
    /// None: calls end with the reply.
    public let closing: String? = nil
    /// The tags before an id and before the arguments.
    public let innerTags: [String]
    /// True: parsing is quick.
    public let isQuick = true

    private let isList: Bool

    private init(name: String, innerTags: [String], isList: Bool) {
        self.name = name
        self.innerTags = innerTags
        self.isList = isList
    }

    /// The dialect of the models up to Small 3.1, which write a JSON list.
    public static let list = MistralDialect(name: "mistral-json", innerTags: [], isList: true)

    /// The dialect of the later models, which write name and arguments.
    public static let named = MistralDialect(name: "mistral-named", innerTags: ["[CALL_ID]", "[ARGS]"], isList: false)

    /// Whether the name can be written: any name in JSON, otherwise one of letters, digits, `_`, `-` and `.`.
    public func canCall(_ name: String) -> Bool { isList || LiteralReader.isPlainName(name) }

    /// The calls in one list, or each after its tag.
    public func spell(_ calls: [FunctionCall]) -> String {
        if isList { return opening + "[" + calls.map { JSONCalls.spell($0) }.joined(separator: ", ") + "]" }
        return calls.map { "\(opening)\($0.name)[ARGS]\(JSONValue.object($0.arguments).text(.python))" }.joined()
    }

    /// The grammar of a list of calls, or of calls after each other.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        let id = Grammar.pattern("[A-Za-z0-9]{9}")
        if isList {
            let quote = Grammar.literal("\"")
            let ending = Grammar.optional(
                .sequence([.literal(","), .gap, .literal("\"id\":"), .pattern(" ?"), quote, id, quote]))
            let call = JSONCalls.grammar(calling: functions, ending: [ending])
            return .sequence([
                .pattern(" ?"), .literal("["), .list(of: call, allowsSeveral: allowsSeveral), .literal("]"),
            ])
        }
        let call = Grammar.choice(
            functions.map { function in
                .sequence([
                    .literal(function.name), .optional(.sequence([.marker("[CALL_ID]"), id])), .marker("[ARGS]"),
                    .object(function.parameters.value, closesObjects: true),
                ])
            })
        guard allowsSeveral else { return call }
        let others = Grammar.sequence([.marker(opening), call])
        return .sequence([call, .repetition(others, maximum: Grammar.mostTaggedCalls - 1)])
    }

    // MARK: Reading

    /// The calls in a text, in order.
    ///
    /// - Throws: ``/ParleyConversation/FunctionCallSyntaxError`` where any of them cannot be read.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall]
        switch text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) {
        case "[", "{": calls = try JSONCalls.readJSON(text)
        default: calls = try LiteralReader.reading(text, Self.calls)
        }
        // The templates of these models refuse conversations with other ids.
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

extension FunctionCallFormat {
    /// The format of Mistral's models up to Small 3.1: `[TOOL_CALLS][{"name": …, "arguments": …, "id": …}]`.
    public static let mistralJSON = FunctionCallFormat(MistralDialect.list)

    /// The format of Mistral's later models: `[TOOL_CALLS]name[ARGS]{…}`, once for each call.
    public static let mistralNamed = FunctionCallFormat(MistralDialect.named)
}

extension ReasoningTags {
    /// The tags of Mistral's reasoning models.
    public static let mistral = ReasoningTags(opening: "[THINK]", closing: "[/THINK]")
}
