// SPDX-License-Identifier: Apache-2.0

/// Why a schema, a pattern or a grammar cannot constrain a reply.
public struct ConstraintError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The schema breaks the rules of JSON Schema.
        public static let invalidSchema = Code(description: "invalidSchema")
        /// The schema uses what is not implemented.
        public static let unsupported = Code(description: "unsupported")
        /// No value can satisfy the schema.
        public static let unsatisfiable = Code(description: "unsatisfiable")
        /// The schema, pattern or grammar exceeds ``ConstraintLimits``.
        public static let tooLarge = Code(description: "tooLarge")
        /// The grammar cannot be read deterministically to an end, for example a repetition of nothing.
        public static let invalidGrammar = Code(description: "invalidGrammar")
        /// The task was cancelled while it compiled.
        public static let cancelled = Code(description: "cancelled")
        /// The deadline passed before all was compiled.
        public static let timedOut = Code(description: "timedOut")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The keyword at fault, where there is one.
    public var keyword: String?
    /// The JSON pointer to the schema that holds the keyword, such as `#/properties/name`.
    public var path: String?
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, keyword: String? = nil, path: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.keyword = keyword
        self.path = path
        self.cause = cause
    }

    /// The message, with the place in the schema.
    public var description: String {
        switch (path, keyword) {
        case (let path?, let keyword?): "\(path): \(keyword): \(message)"
        case (let path?, nil): "\(path): \(message)"
        case (nil, let keyword?): "\(keyword): \(message)"
        case (nil, nil): message
        }
    }
}
