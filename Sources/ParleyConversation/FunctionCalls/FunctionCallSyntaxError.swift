// SPDX-License-Identifier: Apache-2.0

/// Why a text could not be parsed as function calls.
public struct FunctionCallSyntaxError: Error, Hashable, Sendable {
    /// What is wrong.
    public var reason: FunctionCallRejection.Reason
    /// A description of the fault. It contains no part of the text.
    public var message: String
    /// Whether the text ended inside a string. What was taken for the closing tag may then be part of that string.
    public var endsInsideString: Bool

    /// Creates an error.
    public init(_ reason: FunctionCallRejection.Reason, _ message: String, endsInsideString: Bool = false) {
        self.reason = reason
        self.message = message
        self.endsInsideString = endsInsideString
    }
}
