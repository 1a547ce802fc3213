// SPDX-License-Identifier: Apache-2.0

/// An error of the assistant or of one of its stores: what happened and how to remedy it.
///
/// The message may name files, items and hosts; it never contains what the user or the model wrote, nor credentials.
public struct AssistantError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The item in the store is not what the change expects: somebody else has changed or created it meanwhile.
        public static let itemChanged = Code(description: "itemChanged")
        /// The item is not, or no longer, in the store.
        public static let itemNotFound = Code(description: "itemNotFound")
        /// The item cannot be read, or a change would make it invalid.
        public static let invalidItem = Code(description: "invalidItem")
        /// The store cannot be reached or used: no such folder, no permission, no network, wrong credentials.
        public static let storeUnavailable = Code(description: "storeUnavailable")
        /// Something is larger than a limit.
        public static let tooLarge = Code(description: "tooLarge")
        /// The assistant does not do this: a private address, a scheme that is not supported, a denied action.
        public static let refused = Code(description: "refused")
        /// Another program or server answered with something that cannot be understood.
        public static let invalidAnswer = Code(description: "invalidAnswer")
        /// The caller passed an invalid value.
        public static let invalidInput = Code(description: "invalidInput")
        /// There is no model yet; whoever shows the chat shows how to get one.
        public static let noModel = Code(description: "noModel")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// The message.
    public var description: String { message }
}
