// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation

/// The function-call format of a family of models: its tags and parser, how prompts show calls, and the grammar for
/// constrained decoding.
///
/// Parley has ``HermesDialect``, ``QwenCoderDialect``, ``LlamaDialect``, ``LiquidDialect``, ``MistralDialect``,
/// ``GemmaDialect``, ``HarmonyDialect`` and ``AprielDialect``. For a model with another format, an app defines a
/// dialect of its own:
///
/// ```swift
/// /// Calls such as `<<get_weather: {"city": "Bern"}>>`.
/// struct ColonDialect: CallDialect {
///     let name = "colon"
///     let opening = "<<"
///     let closing: String? = ">>"
///
///     func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
///         let parts = text.split(separator: ":", maxSplits: 1)
///         guard parts.count == 2, let arguments = try? JSONValue(parsing: String(parts[1])).object else {
///             // Where `>>` stood inside a string, more of the call follows.
///             throw FunctionCallSyntaxError(.malformed, "A call is a name, a colon and JSON.", endsInsideString: true)
///         }
///         return [ParsedFunctionCall(name: String(parts[0]), arguments: arguments)]
///     }
///
///     func spell(_ calls: [FunctionCall]) -> String {
///         calls.map { "<<\($0.name): \(JSONValue.object($0.arguments).text())>>" }.joined()
///     }
///
///     func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
///         .choice(
///             functions.map { function in
///                 .sequence([.literal("\(function.name): "), .object(function.parameters.value, closesObjects: true)])
///             })
///     }
///
///     func canCall(_ name: String) -> Bool { !name.contains(":") }
/// }
/// ```
///
/// Pass it as ``GenerationOptions/functionCallParser``: `FunctionCallFormat(ColonDialect())`.
///
/// The parser must read every call that the grammar allows, and every call that ``spell(_:)`` writes, with the same
/// names and arguments.
public protocol CallDialect: FunctionCallParser {
    /// Writes calls as text for prompts of a model whose template does not support calls. The text includes the tags,
    /// but not the ids.
    ///
    /// By default each call is a JSON object with `name` and `arguments`, between its own tags.
    ///
    /// - Parameter calls: at least one.
    /// - Returns: the text of all calls.
    func spell(_ calls: [FunctionCall]) -> String

    /// The grammar of the text between the opening and the closing tag.
    ///
    /// - Parameters:
    ///   - functions: the functions that may be called; at least one.
    ///   - allowsSeveral: whether several calls may follow each other between one pair of tags, if the dialect has
    ///     that; without a closing tag, up to the end of the reply.
    /// - Returns: the grammar. With nil, the default, the model is not constrained, and calls cannot be required.
    func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar?

    /// The grammar of a call behind ``FunctionCallParser/bareOpening``, where its opening tag is missing, without its closing
    /// tag. With nil, the default, such a call is not constrained.
    func bareGrammar(calling functions: [Function]) -> Grammar?

    /// What stands before the opening tag of the first call in a reply that consists of calls; empty by default.
    var header: String { get }

    /// The texts after which a reply must go on as ``grammar(calling:allowsSeveral:)`` says: the opening tag alone by default.
    /// Each ends with the opening tag.
    var triggers: [String] { get }

    /// Whether each of several calls has its own pair of tags, so that one may follow another; true by default.
    var tagsEachCall: Bool { get }

    /// Whether a function with this name can be called; true by default.
    func canCall(_ name: String) -> Bool
}

extension CallDialect {
    /// Calls in JSON, each between tags of its own.
    public func spell(_ calls: [FunctionCall]) -> String { JSONCalls.spell(calls, for: self) }

    /// Nil: the model is not constrained.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? { nil }

    /// Nil: a call without its opening tag is not constrained.
    public func bareGrammar(calling functions: [Function]) -> Grammar? { nil }

    /// None: a call begins with its opening tag.
    public var header: String { "" }

    /// The opening tag, wherever it stands.
    public var triggers: [String] { [opening] }

    /// True: each call has its own tags.
    public var tagsEachCall: Bool { true }

    /// True: any function can be called.
    public func canCall(_ name: String) -> Bool { true }
}

extension CallDialect {
    /// The grammar of the text after the opening tag: calls, and the closing tag if there is one.
    package func rest(calling functions: [Function], allowsSeveral: Bool = true) -> Grammar? {
        guard let calls = grammar(calling: functions, allowsSeveral: allowsSeveral) else { return nil }
        return closing.map { .sequence([calls, .marker($0)]) } ?? calls
    }

    /// The grammar of a reply that consists of calls; nil if the dialect has no grammar. With `allowsSeveral`, several
    /// calls may follow each other.
    package func reply(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        guard let rest = rest(calling: functions, allowsSeveral: allowsSeveral) else { return nil }
        // Such models are trained to write calls without an opening tag.
        if allowsBareJSON { return rest }
        let call = Grammar.sequence([.marker(opening), rest])
        guard header.isEmpty else { return .sequence([.literal(header), call]) }
        guard allowsSeveral, closing != nil, tagsEachCall else { return call }
        return .repetition(call, separator: .pattern("\\n?"), minimum: 1, maximum: Grammar.mostTaggedCalls)
    }
}

extension Grammar {
    /// The maximum number of calls, each with its own tags, in a reply that must contain calls.
    static let mostTaggedCalls = 8
    /// The maximum number of calls in one list.
    private static let mostListedCalls = 64

    /// One call, or several with commas between them.
    static func list(of call: Grammar, allowsSeveral: Bool) -> Grammar {
        .repetition(call, separator: .pattern(", ?"), minimum: 1, maximum: allowsSeveral ? mostListedCalls : 1)
    }
}

extension FunctionCallFormat {
    /// The dialect; nil for a format that only has a parser.
    package var dialect: (any CallDialect)? { parser as? any CallDialect }
}
