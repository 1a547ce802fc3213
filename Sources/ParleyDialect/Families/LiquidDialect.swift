// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation

/// Liquid's: `<|tool_call_start|>[get_weather(city="Bern", days=2), get_time(zone="CET")]<|tool_call_end|>`.
///
/// Objects in arguments are dictionaries, and `**{"the city": "Bern"}` gives arguments whose names are none to Python.
/// The brackets may be missing, and calls in JSON are read as ``HermesDialect`` reads them.
public struct LiquidDialect: CallDialect {
    /// `lfm-pythonic`.
    public let name = "lfm-pythonic"
    /// What begins a list of calls.
    public let opening = "<|tool_call_start|>"
    /// What ends a list of calls.
    public let closing: String? = "<|tool_call_end|>"
    /// All calls stand in one list.
    public let tagsEachCall = false
    /// Reading is quick.
    public let isQuick = true

    /// Creates the dialect.
    public init() {}

    /// The calls in a text, in order.
    ///
    /// - Throws: ``/ParleyConversation/FunctionCallSyntaxError`` where any of them cannot be read.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        let start = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "[" }
        return start == "{" ? try JSONCalls.readJSON(text) : try PythonicCalls.read(text)
    }

    /// The calls in one list.
    public func spell(_ calls: [FunctionCall]) -> String {
        opening + "[" + calls.map(PythonicCalls.spell).joined(separator: ", ") + "]" + (closing ?? "")
    }

    /// Calls in a list.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        let calls = Grammar.list(of: PythonicCalls.grammar(calling: functions), allowsSeveral: allowsSeveral)
        return .sequence([.literal("["), calls, .literal("]"), .pattern("\\n?")])
    }

    /// Whether the name has only letters, digits, `_`, `-` and `.`.
    public func canCall(_ name: String) -> Bool { LiteralReader.isPlainName(name) }
}

extension FunctionCallFormat {
    /// Liquid's: `<|tool_call_start|>[f(a="x", b=1)]<|tool_call_end|>`.
    public static let lfmPythonic = FunctionCallFormat(LiquidDialect())
}
