// SPDX-License-Identifier: Apache-2.0

public import OrderedCollections
public import ParleyJSON

/// Reads the text between the tags of a function call.
///
/// Parsers are pure: the same text always gives the same calls. A text is the output of a model and thus untrusted: a
/// parser never traps, and bounds its recursion.
public protocol FunctionCallParser: Sendable {
    /// The calls in a text, at least one, in order.
    ///
    /// - Throws: ``FunctionCallSyntaxError`` where any of them cannot be read: then none of them is made.
    func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall]
}

/// A call as it was written.
public struct ParsedFunctionCall: Hashable, Sendable {
    /// The id that the model gave, if any. It is kept where it is not taken.
    public var id: String?
    /// The function's name.
    public var name: String
    /// The arguments by the parameters' names.
    public var arguments: JSONObject

    /// Creates a call.
    public init(id: String? = nil, name: String, arguments: JSONObject) {
        self.id = id
        self.name = name
        self.arguments = arguments
    }
}

/// Why a text is no function call.
public struct FunctionCallSyntaxError: Error, Hashable, Sendable {
    /// What is wrong.
    public var reason: FunctionCallRejection.Reason
    /// What is wrong, in words; none of the text is in it.
    public var message: String
    /// Whether the text ended within a string: then what looked like the closing tag may have been a part of it.
    public var endsInsideString: Bool

    /// Creates an error.
    public init(_ reason: FunctionCallRejection.Reason, _ message: String, endsInsideString: Bool = false) {
        self.reason = reason
        self.message = message
        self.endsInsideString = endsInsideString
    }
}
