// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation

/// The dialect of Liquid's models: `<|tool_call_start|>[get_weather(city="Bern", days=2),
/// get_time(zone="CET")]<|tool_call_end|>`.
///
/// Objects in arguments are dictionaries, and `**{"the city": "Bern"}` gives arguments whose names are not Python
/// names. The brackets may be missing, and calls in JSON are parsed as by ``HermesDialect``.
public struct LiquidDialect: CallDialect {
    /// `lfm-pythonic`.
    public let name = "lfm-pythonic"
    /// The tag that begins a list of calls.
    public let opening = "<|tool_call_start|>"
    /// The tag that ends a list of calls.
    public let closing: String? = "<|tool_call_end|>"
    /// False: all calls are in one list.
    public let tagsEachCall = false
    /// True: parsing is quick.
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

    /// The grammar of a list of calls.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        let calls = Grammar.list(of: PythonicCalls.grammar(calling: functions), allowsSeveral: allowsSeveral)
        return .sequence([.literal("["), calls, .literal("]"), .pattern("\\n?")])
    }

    /// Whether the name has only letters, digits, `_`, `-` and `.`.
    public func canCall(_ name: String) -> Bool { LiteralReader.isPlainName(name) }
}

extension FunctionCallFormat {
    /// The format of Liquid's models: `<|tool_call_start|>[f(a="x", b=1)]<|tool_call_end|>`.
    public static let lfmPythonic = FunctionCallFormat(LiquidDialect())
}
