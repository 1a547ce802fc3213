// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation

/// The dialect of Llama 3: the whole reply is `{"name": …, "parameters": …}`, or the call follows `<|python_tag|>`.
///
/// It parses the same forms as ``HermesDialect``.
public struct LlamaDialect: CallDialect {
    /// `llama3-json`.
    public let name = "llama3-json"
    /// The tag that begins a call that is not the whole reply.
    public let opening = "<|python_tag|>"
    /// None: a call ends with the reply.
    public let closing: String? = nil
    /// A reply that begins with a brace may be a call.
    public let allowsBareJSON = true
    /// True: parsing is quick.
    public let isQuick = true

    private static let argumentsKey = "parameters"

    /// Creates the dialect.
    public init() {}

    /// The calls in a text, in order.
    ///
    /// - Throws: ``/ParleyConversation/FunctionCallSyntaxError`` where any of them cannot be read.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        try JSONCalls.read(text)
    }

    /// Each call on a line of its own, without a tag.
    public func spell(_ calls: [FunctionCall]) -> String {
        JSONCalls.spell(calls, for: self, argumentsKey: Self.argumentsKey)
    }

    /// The grammar of one call.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        JSONCalls.grammar(calling: functions, argumentsKey: Self.argumentsKey)
    }
}

extension FunctionCallFormat {
    /// That of Llama 3: the whole reply is `{"name": …, "parameters": …}`, or stands behind `<|python_tag|>`.
    public static let llama3JSON = FunctionCallFormat(LlamaDialect())
}
