// SPDX-License-Identifier: Apache-2.0

/// How a family of models writes function calls: the tags around them, and what reads the text between.
///
/// ```swift
/// let format = FunctionCallFormat(
///     name: "mine", opening: "<<call", closing: ">>", parser: JSONCallParser())
/// let options = GenerationOptions(functionCallParser: format)
/// ```
public struct FunctionCallFormat: Sendable {
    /// The format's name; formats of the same name are equal.
    public var name: String
    /// What begins a call; empty only for ``rawText``.
    public var opening: String
    /// What ends a call; nil where the end of the reply does.
    public var closing: String?
    /// Whether a reply that begins with a brace is a call without its opening tag.
    public var allowsBareJSON: Bool
    /// What reads the text between the tags; nil only for ``rawText``.
    public var parser: (any FunctionCallParser)?

    /// Creates a format.
    public init(
        name: String, opening: String, closing: String?, allowsBareJSON: Bool = false, parser: any FunctionCallParser
    ) {
        self.name = name
        self.opening = opening
        self.closing = closing
        self.allowsBareJSON = allowsBareJSON
        self.parser = parser
    }

    private init(rawTextNamed name: String) {
        self.name = name
        opening = ""
        closing = nil
        allowsBareJSON = false
        parser = nil
    }

    /// Liquid's: `<|tool_call_start|>[f(a="x", b=1)]<|tool_call_end|>`.
    public static let lfmPythonic = FunctionCallFormat(
        name: "lfm-pythonic", opening: "<|tool_call_start|>", closing: "<|tool_call_end|>",
        parser: PythonicCallParser())

    /// That of Hermes and Qwen: `<tool_call>{"name": …, "arguments": …}</tool_call>`.
    public static let hermes = FunctionCallFormat(
        name: "hermes", opening: "<tool_call>", closing: "</tool_call>", parser: JSONCallParser())

    /// That of Llama 3: the whole reply is `{"name": …, "parameters": …}`, or stands behind `<|python_tag|>`.
    public static let llama3JSON = FunctionCallFormat(
        name: "llama3-json", opening: "<|python_tag|>", closing: nil, allowsBareJSON: true,
        parser: JSONCallParser(argumentsKey: "parameters", grouping: .alone))

    /// That of Mistral's models up to Small 3.1: `[TOOL_CALLS][{"name": …, "arguments": …, "id": …}]`.
    public static let mistralJSON = FunctionCallFormat(
        name: "mistral-json", opening: "[TOOL_CALLS]", closing: nil, parser: MistralCallParser.list)

    /// That of Mistral's later models: `[TOOL_CALLS]name[ARGS]{…}`, once for each call.
    public static let mistralNamed = FunctionCallFormat(
        name: "mistral-named", opening: "[TOOL_CALLS]", closing: nil, parser: MistralCallParser.named)

    /// Every tag that a call may hold: what a reader of tokens must show as text.
    package var tags: [String] { [opening] + (closing.map { [$0] } ?? []) + (parser?.notation?.tags ?? []) }

    /// None: calls stay in the text as the model writes them.
    public static let rawText = FunctionCallFormat(rawTextNamed: "raw-text")
}

extension FunctionCallFormat: Hashable {
    /// Whether two formats have the same name.
    public static func == (left: FunctionCallFormat, right: FunctionCallFormat) -> Bool {
        left.name == right.name
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
