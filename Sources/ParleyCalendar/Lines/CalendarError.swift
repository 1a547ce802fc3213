// SPDX-License-Identifier: Apache-2.0

/// The error of a calendar that cannot be read or changed.
public struct CalendarError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// The stream has more bytes, lines or properties than the limit.
        public static let tooLarge = Code(description: "tooLarge")
        /// Components are nested deeper than the limit.
        public static let tooDeep = Code(description: "tooDeep")
        /// A component begins without an end, or ends without a beginning.
        public static let unbalanced = Code(description: "unbalanced")
        /// A recurrence rule is not valid according to RFC 5545, or has an unknown part.
        public static let invalidRule = Code(description: "invalidRule")
        /// There are more occurrences than the limit, or finding them would take too much work.
        public static let tooManyOccurrences = Code(description: "tooManyOccurrences")
        /// The item to change is not in the calendar, or lacks something that the change needs.
        public static let notFound = Code(description: "notFound")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened and what to do about it; contains no text of the calendar except names of properties and
    /// components.
    public var message: String
    /// The line of the stream, counted from 1 before unfolding; 0 if the failure does not concern a particular line.
    public let line: Int
    /// The underlying error, if any.
    public var cause: (any Error)?

    package init(_ code: Code, _ message: String, line: Int = 0, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.cause = cause
    }

    /// The message, preceded by the line if there is one.
    public var description: String {
        line > 0 ? "line \(line): \(message)" : message
    }
}
