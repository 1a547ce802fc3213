// SPDX-License-Identifier: Apache-2.0

/// Why a schema, pattern or grammar cannot be used to constrain a reply.
package struct ConstraintError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        package let description: String

        /// The schema breaks the rules of JSON Schema.
        package static let invalidSchema = Code(description: "invalidSchema")
        /// The schema uses a feature that is not implemented.
        package static let unsupported = Code(description: "unsupported")
        /// No value can satisfy the schema.
        package static let unsatisfiable = Code(description: "unsatisfiable")
        /// The schema, pattern or grammar exceeds ``ConstraintLimits``.
        package static let tooLarge = Code(description: "tooLarge")
        /// The grammar is ambiguous without bound, for example a repetition of the empty text.
        package static let invalidGrammar = Code(description: "invalidGrammar")
        /// The task was cancelled while it compiled.
        package static let cancelled = Code(description: "cancelled")
        /// The deadline passed before all was compiled.
        package static let timedOut = Code(description: "timedOut")
    }

    /// What kind of failure it is.
    package var code: Code
    /// What happened and what to do.
    package var message: String
    /// The keyword that caused the error, if any.
    package var keyword: String?
    /// The JSON pointer to the schema that contains the keyword, such as `#/properties/name`.
    package var path: String?
    /// The underlying error, if any.
    package var cause: (any Error)?

    /// Creates an error.
    package init(
        _ code: Code, _ message: String, keyword: String? = nil, path: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.keyword = keyword
        self.path = path
        self.cause = cause
    }

    /// The message, with the keyword and its location in the schema.
    package var description: String {
        switch (path, keyword) {
        case (let path?, let keyword?): "\(path): \(keyword): \(message)"
        case (let path?, nil): "\(path): \(message)"
        case (nil, let keyword?): "\(keyword): \(message)"
        case (nil, nil): message
        }
    }
}
