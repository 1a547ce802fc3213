// SPDX-License-Identifier: Apache-2.0

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
