// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation

/// The dialect of Hermes, Qwen and many other models: `<tool_call>{"name": …, "arguments": …}</tool_call>`.
///
/// Other forms of calls in JSON are parsed as well: arguments that are named `parameters`, are JSON text in a string,
/// or are missing; calls wrapped as in OpenAI's messages; several calls in an array or after each other; and Python
/// notation.
public struct HermesDialect: CallDialect {
    /// The dialect's name, `hermes` unless an app gives another.
    public let name: String
    /// The tag that begins a call.
    public let opening: String
    /// The tag that ends a call.
    public let closing: String?
    /// True: parsing is quick.
    public let isQuick = true

    /// Creates the dialect, optionally with other tags.
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

    /// The grammar of one call, with optional line breaks around it.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        .sequence([.pattern("\\n?"), JSONCalls.grammar(calling: functions), .pattern("\\n?")])
    }
}

extension FunctionCallFormat {
    /// The format of Hermes and Qwen: `<tool_call>{"name": …, "arguments": …}</tool_call>`.
    public static let hermes = FunctionCallFormat(HermesDialect())
}
