// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation

/// That of Hermes, of Qwen and of many others: `<tool_call>{"name": …, "arguments": …}</tool_call>`.
///
/// Other forms of calls in JSON are read as well: arguments that are called `parameters`, are a JSON text within a
/// string, or are missing; calls wrapped as in OpenAI's messages; several in an array or behind each other; and what
/// Python writes.
public struct HermesDialect: CallDialect {
    /// The dialect's name, `hermes` unless an app gives another.
    public let name: String
    /// What begins a call.
    public let opening: String
    /// What ends a call.
    public let closing: String?
    /// Reading is quick.
    public let isQuick = true

    /// Creates the dialect, or one that writes the same between other tags.
    public init(name: String = "hermes", opening: String = "<tool_call>", closing: String = "</tool_call>") {
        self.name = name
        self.opening = opening
        self.closing = closing
    }

    /// The calls in a text, in order.
    ///
    /// - Throws: ``/ParleyConversation/FunctionCallSyntaxError`` where any of them cannot be read.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        try JSONCalls.read(text)
    }

    /// One call, on a line of its own or not.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        .sequence([.pattern("\\n?"), JSONCalls.grammar(calling: functions), .pattern("\\n?")])
    }
}

extension FunctionCallFormat {
    /// That of Hermes and Qwen: `<tool_call>{"name": …, "arguments": …}</tool_call>`.
    public static let hermes = FunctionCallFormat(HermesDialect())
}
