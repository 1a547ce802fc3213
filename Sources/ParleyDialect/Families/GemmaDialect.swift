// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
public import ParleyConstraint
public import ParleyConversation
import ParleyJSON

/// The dialect of Gemma 4: `<|tool_call>call:get_weather{city:<|"|>Bern<|"|>,days:2}<tool_call|>`.
///
/// Strings stand between the marks `<|"|>` and are written as they are; names that are no words are in quotes. Values
/// in JSON are parsed as well.
public struct GemmaDialect: CallDialect {
    /// `gemma`.
    public let name = "gemma"
    /// The tag that begins a call.
    public let opening = "<|tool_call>"
    /// The tag that ends a call.
    public let closing: String? = "<tool_call|>"
    /// The mark around strings.
    public let innerTags = ["<|\"|>"]
    /// True: parsing is quick.
    public let isQuick = true

    /// Creates the dialect.
    public init() {}

    /// Whether the name has only letters, digits, `_`, `-` and `.`.
    public func canCall(_ name: String) -> Bool { LiteralReader.isPlainName(name) }

    /// Each call between tags of its own.
    public func spell(_ calls: [FunctionCall]) -> String {
        calls.map { "<|tool_call>call:\($0.name)\(Self.text(.object($0.arguments)))<tool_call|>" }.joined()
    }

    /// A value as it is written in prompts.
    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text) where !text.utf8.contains("<|\"|>".utf8): "<|\"|>\(text)<|\"|>"
        case .array(let elements): "[" + elements.map(text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(key($0.key)):\(text($0.value))" }.joined(separator: ",") + "}"
        default: value.text()
        }
    }

    private static func key(_ name: String) -> String {
        LiteralReader.isName(name) ? name : JSONValue.string(name).text()
    }

    /// The grammar of one call.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        let calls = functions.map { function in
            Grammar.sequence([.literal(function.name), .markedObject(function.parameters.value)])
        }
        return .sequence([.literal("call:"), .choice(calls)])
    }

    /// The calls in a text, in order.
    ///
    /// - Throws: `FunctionCallSyntaxError` where any of them cannot be read.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        try LiteralReader.reading(text, Self.calls)
    }

    private static func calls(
        _ reader: inout LiteralReader
    ) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall] = []
        while reader.take(tag: "call:") {
            try LiteralReader.checkCount(calls.count)
            let name = try reader.functionName()
            reader.skipWhitespace()
            guard reader.current == UInt8(ascii: "{"), case .object(let arguments) = try reader.value() else {
                throw reader.failure("The arguments are expected as an object.")
            }
            calls.append(ParsedFunctionCall(name: name, arguments: arguments))
        }
        reader.skipWhitespace()
        if calls.isEmpty, reader.isAtEnd { throw FunctionCallSyntaxError(.empty, "There is no call between the tags.") }
        guard reader.isAtEnd else { throw reader.failure("A call is expected.") }
        return calls
    }
}

extension FunctionCallFormat {
    /// The format of Gemma 4: `<|tool_call>call:f{a:<|"|>x<|"|>,b:1}<tool_call|>`.
    public static let gemma = FunctionCallFormat(GemmaDialect())
}
