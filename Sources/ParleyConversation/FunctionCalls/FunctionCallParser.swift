// SPDX-License-Identifier: Apache-2.0

/// Reads the function calls in a model's output: declares the tags around a call and parses the text between them.
///
/// A ``ResponseRouter`` needs nothing else. A `CallDialect` (in ParleyDialect) is a parser that also writes calls in
/// prompts and has a grammar for constrained decoding.
///
/// A parser is a pure function: the same text always gives the same calls. The text is untrusted, because a model wrote
/// it: a parser must never trap, and must limit its recursion.
public protocol FunctionCallParser: Sendable {
    /// The parser's name; a ``FunctionCallFormat`` is equal to others of the same name.
    var name: String { get }

    /// The tag that begins a call. If it is empty, no calls are recognised.
    var opening: String { get }

    /// The tag that ends a call; nil if a call ends with the reply.
    var closing: String? { get }

    /// Tags that may occur inside a call. If the vocabulary has control tokens for them, these are passed to
    /// ``parse(_:)`` as text, as are those for ``opening`` and ``closing``. Empty by default.
    var innerTags: [String] { get }

    /// Whether a reply that begins with a brace may be a call without an opening tag; false by default.
    var allowsBareJSON: Bool { get }

    /// The text that a call begins with where its ``opening`` is missing, which some models leave out; empty, the default,
    /// if none does. The function's name follows it, perhaps after white space. It counts at the beginning of a line only,
    /// is passed to ``parse(_:)``, and remains text unless a call of an available function follows: while a call is being
    /// written, ``parse(_:)`` must fail with the reason ``FunctionCallRejection/Reason/cut``, because any other one shows that
    /// the text is no call. ``opening`` must not begin with it.
    var bareOpening: String { get }

    /// Whether ``parse(_:)`` takes well under a millisecond and never blocks. Replies are then generated on the
    /// engine's own thread, which is faster; anything slow there would delay all replies. False by default.
    var isQuick: Bool { get }

    /// The parser of replies in which these functions may be called; by default the same parser.
    ///
    /// It is for formats in which an argument does not show its type, which then follows from the function's schema.
    ///
    /// - Parameter functions: the functions that may be called; empty if they are not known.
    /// - Returns: a parser with the same name and tags.
    func reading(callsOf functions: [Function]) -> Self

    /// Reads the calls in a text.
    ///
    /// - Parameter text: the text between the tags.
    /// - Returns: the calls in order, at least one.
    /// - Throws: ``FunctionCallSyntaxError`` where any call cannot be read. None of the calls is made then.
    func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall]
}

extension FunctionCallParser {
    /// None.
    public var innerTags: [String] { [] }

    /// False: every call has its opening tag.
    public var allowsBareJSON: Bool { false }

    /// Empty: every call has its opening tag.
    public var bareOpening: String { "" }

    /// False: replies are generated outside of the engine's thread.
    public var isQuick: Bool { false }

    /// The same parser: arguments show their types.
    public func reading(callsOf functions: [Function]) -> Self { self }
}
