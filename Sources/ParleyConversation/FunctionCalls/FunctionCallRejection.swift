// SPDX-License-Identifier: Apache-2.0

/// A function call in the model's output that could not be read, and was therefore not made.
public struct FunctionCallRejection: Hashable, Sendable {
    /// What is wrong with a call; more reasons may be added.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String { case cut, malformed, missingName, invalidArguments, tooDeep, tooMany, empty }
        private let value: Value

        /// The reply ended before the call did.
        public static let cut = Reason(value: .cut)
        /// The text is not in the format.
        public static let malformed = Reason(value: .malformed)
        /// It does not say which function.
        public static let missingName = Reason(value: .missingName)
        /// The arguments are not named values.
        public static let invalidArguments = Reason(value: .invalidArguments)
        /// The arguments are nested too deeply.
        public static let tooDeep = Reason(value: .tooDeep)
        /// There are more calls than anyone would make.
        public static let tooMany = Reason(value: .tooMany)
        /// There is no call between the tags.
        public static let empty = Reason(value: .empty)

        /// The reason's name.
        public var description: String { value.rawValue }
    }

    /// What the model wrote, tags included.
    public var text: String
    /// What is wrong with it.
    public var reason: Reason
    /// A description of the fault that can be shown to the model. It contains no text of the call.
    public var message: String

    /// Creates a rejection.
    public init(text: String, reason: Reason, message: String) {
        self.text = text
        self.reason = reason
        self.message = message
    }

    /// The rejection as an error, for apps that want to throw it.
    public var error: ConversationError {
        ConversationError(.functionCallParsingFailed, "A function call of the model was not made: \(message)")
    }
}
