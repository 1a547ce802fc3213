// SPDX-License-Identifier: Apache-2.0

/// Reads the text between the tags of a function call.
///
/// Parsers are pure: the same text always gives the same calls. A text is the output of a model and thus untrusted: a
/// parser never traps, and bounds its recursion.
public protocol FunctionCallParser: Sendable {
    /// The calls in a text, at least one, in order.
    ///
    /// - Throws: ``FunctionCallSyntaxError`` where any of them cannot be read: then none of them is made.
    func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall]

    /// How such calls are best written; nil where no engine can hold a model to it. What is written so must be read to
    /// the same names and arguments.
    var notation: FunctionCallNotation? { get }
}

extension FunctionCallParser {
    /// Nothing: calls are read and not constrained, and prompts show them in JSON.
    public var notation: FunctionCallNotation? { nil }

    /// Whether it is one of Parley's, which are quick and wait for nobody: code of an app must not run in an engine's
    /// thread.
    package var isParleys: Bool {
        self is JSONCallParser || self is PythonicCallParser || self is MistralCallParser
    }
}
