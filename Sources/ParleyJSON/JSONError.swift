// SPDX-License-Identifier: Apache-2.0

/// Why a text could not be parsed as JSON.
public struct JSONError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The text breaks the grammar of RFC 8259.
        public static let invalidSyntax = Code(description: "invalidSyntax")
        /// The bytes are not UTF-8, or an escape names half a surrogate pair.
        public static let invalidText = Code(description: "invalidText")
        /// Arrays and objects are nested deeper than the limit.
        public static let tooDeep = Code(description: "tooDeep")
        /// The document is longer than the limit, or has more values.
        public static let tooLarge = Code(description: "tooLarge")
        /// Two members of an object have the same name, where the limits forbid it.
        public static let repeatedName = Code(description: "repeatedName")
        /// A number is beyond the range of a double.
        public static let numberOutOfRange = Code(description: "numberOutOfRange")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do, without any text of the document.
    public var message: String
    /// The line of the failure, counted from 1; 0 where the failure has no place in a text.
    public let line: Int
    /// The column of the failure in bytes, counted from 1; 0 where the failure has no place in a text.
    public let column: Int
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    package init(_ code: Code, _ message: String, line: Int = 0, column: Int = 0, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.column = column
        self.cause = cause
    }

    /// The message, with the place when there is one.
    public var description: String {
        line > 0 ? "line \(line), column \(column): \(message)" : message
    }
}
