// SPDX-License-Identifier: Apache-2.0

public import ParleyConstraint
public import ParleyConversation

/// How a family of models writes function calls: the tags and the parser, how prompts show calls, and the grammar that
/// holds a model to them.
///
/// The families that Parley knows are ``HermesDialect``, ``LlamaDialect``, ``LiquidDialect`` and ``MistralDialect``. An
/// app makes a dialect of its own for a model that writes otherwise:
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
/// ``GenerationOptions/functionCallParser`` takes it: `FunctionCallFormat(ColonDialect())`.
///
/// Whatever the grammar lets a model write, the parser must read, to the same names and arguments; the same holds for what
/// ``spell(_:)`` writes.
public protocol CallDialect: FunctionCallParser {
    /// Writes calls for the prompt of a model whose template cannot: tags included, the ids left out.
    ///
    /// By default each is an object in JSON with `name` and `arguments`, between tags of its own.
    ///
    /// - Parameter calls: at least one.
    /// - Returns: the text of all calls.
    func spell(_ calls: [FunctionCall]) -> String

    /// Says what may stand between the opening and the closing tag.
    ///
    /// - Parameters:
    ///   - functions: what may be called, at least one function.
    ///   - allowsSeveral: whether several calls may stand between one pair of tags, where the dialect has that; without a
    ///     closing tag, up to the end of the reply.
    /// - Returns: the grammar. Nil, as by default, leaves the model free, and then a call cannot be required of it.
    func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar?

    /// Whether each of several calls has a pair of tags of its own, so that one may follow another; true by default.
    var tagsEachCall: Bool { get }

    /// Whether a function of that name can be called; any can by default.
    func canCall(_ name: String) -> Bool
}

extension CallDialect {
    /// Calls in JSON, each between tags of its own.
    public func spell(_ calls: [FunctionCall]) -> String { JSONCalls.spell(calls, for: self) }

    /// None: the model is free.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? { nil }

    /// True: each call has its own tags.
    public var tagsEachCall: Bool { true }

    /// True: any function can be called.
    public func canCall(_ name: String) -> Bool { true }
}

extension CallDialect {
    /// What follows the opening tag: calls, and the closing tag where there is one.
    package func rest(calling functions: [Function], allowsSeveral: Bool = true) -> Grammar? {
        guard let calls = grammar(calling: functions, allowsSeveral: allowsSeveral) else { return nil }
        return closing.map { .sequence([calls, .marker($0)]) } ?? calls
    }

    /// The grammar of a reply that calls functions and says nothing else; nil where the dialect has no grammar. With
    /// `allowsSeveral` one call may follow another.
    package func reply(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        guard let rest = rest(calling: functions, allowsSeveral: allowsSeveral) else { return nil }
        // A call without an opening tag is what such models are trained for.
        if allowsBareJSON { return rest }
        let call = Grammar.sequence([.marker(opening), rest])
        guard allowsSeveral, closing != nil, tagsEachCall else { return call }
        return .repetition(call, separator: .pattern("\\n?"), minimum: 1, maximum: Grammar.mostTaggedCalls)
    }
}

extension Grammar {
    /// How many calls a reply that has to call may make, each with tags of its own.
    static let mostTaggedCalls = 8
    /// How many calls may stand in one list.
    private static let mostListedCalls = 64

    /// One call, or several with commas between them.
    static func list(of call: Grammar, allowsSeveral: Bool) -> Grammar {
        .repetition(call, separator: .pattern(", ?"), minimum: 1, maximum: allowsSeveral ? mostListedCalls : 1)
    }
}

extension FunctionCallFormat {
    /// What writes calls and holds a model to them; nil for a parser that only reads.
    package var dialect: (any CallDialect)? { parser as? any CallDialect }
}
