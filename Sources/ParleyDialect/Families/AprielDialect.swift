// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation

/// The dialect of Apriel, which writes all calls in one list:
/// `<tool_calls>[{"name": "get_weather", "arguments": {"city": "Bern"}}]</tool_calls>`.
///
/// It parses the same forms as ``HermesDialect``.
public struct AprielDialect: CallDialect {
    /// The dialect's name, `apriel`.
    public let name = "apriel"
    /// The tag that begins a list of calls.
    public let opening = "<tool_calls>"
    /// The tag that ends a list of calls.
    public let closing: String? = "</tool_calls>"
    /// True: parsing is quick.
    public let isQuick = true
    /// False: all calls are between the same tags.
    public let tagsEachCall = false

    /// Creates the dialect.
    public init() {}

    /// The calls in a text, in order.
    ///
    /// - Throws: `FunctionCallSyntaxError` where any of them cannot be read.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        try JSONCalls.read(text)
    }

    /// The calls in one list.
    public func spell(_ calls: [FunctionCall]) -> String {
        opening + "[" + calls.map { JSONCalls.spell($0) }.joined(separator: ", ") + "]</tool_calls>"
    }

    /// The grammar of a list of calls.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        let calls = Grammar.list(of: JSONCalls.grammar(calling: functions), allowsSeveral: allowsSeveral)
        return .sequence([.pattern("\\n?"), .literal("["), .gap, calls, .gap, .literal("]"), .pattern("\\n?")])
    }
}

extension FunctionCallFormat {
    /// The format of Apriel: `<tool_calls>[{"name": …, "arguments": …}]</tool_calls>`.
    public static let apriel = FunctionCallFormat(AprielDialect())
}
