// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
public import ParleyConstraint
public import ParleyConversation
import ParleyJSON

/// The dialect of gpt-oss (harmony), in which a call is a message of its own to a function:
/// `<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Bern"}`.
///
/// The function may also be named before the channel: `to=functions.get_weather<|channel|>commentary json<|message|>…`.
/// The other tags of the message are hidden (`ReasoningTags.hidden`).
public struct HarmonyDialect: CallDialect {
    /// `harmony`.
    public let name = "harmony"
    /// What begins the name of a function.
    public let opening = "to=functions."
    /// None: a call ends with the reply.
    public let closing: String? = nil
    /// The channel of calls.
    public let header = "<|channel|>commentary "
    /// The headers of a message to a function. In the text of an answer, the opening is text.
    public let triggers = ["<|channel|>commentary ", "<|channel|>analysis ", "<|start|>assistant "].map {
        $0 + "to=functions."
    }
    /// True: parsing is quick.
    public let isQuick = true

    /// Creates the dialect.
    public init() {}

    /// Whether the name has only letters, digits, `_`, `-` and `.`.
    public func canCall(_ name: String) -> Bool { LiteralReader.isPlainName(name) }

    /// Each call in a message of its own.
    public func spell(_ calls: [FunctionCall]) -> String {
        calls.map { call in
            let arguments = JSONValue.object(call.arguments).text(.python)
            return "<|channel|>commentary to=functions.\(call.name) <|constrain|>json<|message|>\(arguments)"
        }.joined(separator: "<|call|><|start|>assistant")
    }

    /// The grammar of one call.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        let calls = functions.map { function in
            Grammar.sequence([
                .literal(function.name), .pattern("(?:<\\|channel\\|>commentary)?(?: (?:<\\|constrain\\|>)?json)?"),
                .literal("<|message|>"), .object(function.parameters.value, closesObjects: true),
            ])
        }
        return .choice(calls)
    }

    /// The calls in a text, in order.
    ///
    /// - Throws: `FunctionCallSyntaxError` where any of them cannot be read.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        try LiteralReader.reading(text, Self.calls)
    }

    private static let tagsBetweenCalls: [StaticString] = [
        "<|call|>", "<|end|>", "<|start|>assistant", "<|channel|>commentary",
    ]

    private static func calls(
        _ reader: inout LiteralReader
    ) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall] = []
        repeat {
            try LiteralReader.checkCount(calls.count)
            let name = try reader.functionName()
            guard reader.text(upTo: "<|message|>") != nil else {
                throw FunctionCallSyntaxError(.cut, "It ends before the arguments.")
            }
            reader.skipWhitespace()
            guard reader.current == UInt8(ascii: "{"), case .object(let arguments) = try reader.value() else {
                throw reader.failure("The arguments are expected as an object.")
            }
            calls.append(ParsedFunctionCall(name: name, arguments: arguments))
            for tag in tagsBetweenCalls { _ = reader.take(tag: tag) }
        } while reader.take(tag: "to=functions.")
        reader.skipWhitespace()
        guard reader.isAtEnd else { throw reader.failure("Only another call may follow a call.") }
        return calls
    }
}

extension FunctionCallFormat {
    /// The format of gpt-oss: `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}`.
    public static let harmony = FunctionCallFormat(HarmonyDialect())
}

extension ReasoningTags {
    /// The tags of gpt-oss (harmony), whose reasoning is a message in the channel of analysis.
    public static let harmony = ReasoningTags(
        opening: "<|channel|>analysis<|message|>", closing: "<|end|>", message: "<|start|>assistant",
        answer: "<|channel|>final<|message|>",
        hidden: [
            "<|channel|>final", "<|channel|>commentary", "<|channel|>analysis ", "<|constrain|>json", "<|message|>",
            "<|end|>",
            "<|start|>assistant",
        ])
}
