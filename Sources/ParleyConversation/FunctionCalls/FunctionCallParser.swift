// SPDX-License-Identifier: Apache-2.0

/// How function calls stand in a model's text: the tags around them, and what reads the text between.
///
/// This is all that a ``ResponseRouter`` needs. A dialect, `CallDialect` in ParleyDialect, says besides how prompts show
/// calls, and has a grammar that holds a model to them.
///
/// Parsers are pure: the same text always gives the same calls. A text is the output of a model and thus untrusted: a
/// parser never traps, and bounds its recursion.
public protocol FunctionCallParser: Sendable {
    /// The parser's name; a ``FunctionCallFormat`` is equal to others of the same name.
    var name: String { get }

    /// What begins a call. Where it is empty, no call is found.
    var opening: String { get }

    /// What ends a call; nil where the end of the reply does.
    var closing: String? { get }

    /// Tags that may stand inside a call. Where the model's vocabulary has control tokens for them, these are part of the
    /// text that is read, as those of ``opening`` and ``closing`` are. None by default.
    var innerTags: [String] { get }

    /// Whether a reply that begins with a brace is a call without its opening tag; false by default.
    var allowsBareJSON: Bool { get }

    /// Whether ``parse(_:)`` takes well under a millisecond and waits for nothing: then a reply may be generated in its
    /// engine's own thread, where whatever takes long holds up all replies. False by default.
    var isQuick: Bool { get }

    /// Reads the calls in a text.
    ///
    /// - Parameter text: what stands between the tags.
    /// - Returns: the calls in order, at least one.
    /// - Throws: ``FunctionCallSyntaxError`` where any of them cannot be read: then none of them is made.
    func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall]
}

extension FunctionCallParser {
    /// None.
    public var innerTags: [String] { [] }

    /// False: every call has its opening tag.
    public var allowsBareJSON: Bool { false }

    /// False: replies are generated outside of the engine's thread.
    public var isQuick: Bool { false }
}
