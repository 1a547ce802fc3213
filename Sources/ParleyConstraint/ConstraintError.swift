// SPDX-License-Identifier: Apache-2.0

/// Why a schema, pattern or grammar cannot be used to constrain a reply.
public struct ConstraintError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String {
            case invalidSchema, unsupported, unsatisfiable, tooLarge, invalidGrammar, cancelled, timedOut
        }
        private let value: Value

        /// The schema breaks the rules of JSON Schema.
        public static let invalidSchema = Code(value: .invalidSchema)
        /// The schema uses a feature that is not implemented.
        public static let unsupported = Code(value: .unsupported)
        /// No value can satisfy the schema.
        public static let unsatisfiable = Code(value: .unsatisfiable)
        /// The schema, pattern or grammar exceeds ``ConstraintLimits``.
        public static let tooLarge = Code(value: .tooLarge)
        /// The grammar is ambiguous without bound, for example a repetition of the empty text.
        public static let invalidGrammar = Code(value: .invalidGrammar)
        /// The task was cancelled while it compiled.
        public static let cancelled = Code(value: .cancelled)
        /// The deadline passed before all was compiled.
        public static let timedOut = Code(value: .timedOut)

        /// The code's name.
        public var description: String { value.rawValue }
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The keyword that caused the error, if any.
    public var keyword: String?
    /// The JSON pointer to the schema that contains the keyword, such as `#/properties/name`.
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

    /// The message, with the keyword and its location in the schema.
    public var description: String {
        switch (path, keyword) {
        case (let path?, let keyword?): "\(path): \(keyword): \(message)"
        case (let path?, nil): "\(path): \(message)"
        case (nil, let keyword?): "\(keyword): \(message)"
        case (nil, nil): message
        }
    }
}
