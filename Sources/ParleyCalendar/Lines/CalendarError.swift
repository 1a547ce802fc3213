// SPDX-License-Identifier: Apache-2.0

/// Why a calendar cannot be read, or why something of it cannot be used.
public struct CalendarError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure this is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The stream has more bytes, lines or properties than the limit.
        public static let tooLarge = Code(description: "tooLarge")
        /// Components are nested deeper than the limit.
        public static let tooDeep = Code(description: "tooDeep")
        /// A component begins without an end, or ends without a beginning.
        public static let unbalanced = Code(description: "unbalanced")
        /// A recurrence rule breaks the grammar of RFC 5545, or has a part that is not known.
        public static let invalidRule = Code(description: "invalidRule")
        /// There are more occurrences than the limit, or finding them takes more work than is allowed.
        public static let tooManyOccurrences = Code(description: "tooManyOccurrences")
        /// What is to be changed is not in the calendar, or lacks what the change needs.
        public static let notFound = Code(description: "notFound")
    }

    /// What kind of failure this is.
    public var code: Code
    /// What happened and what to do, without any text of the calendar but names of properties and components.
    public var message: String
    /// The line of the failure in the stream, counted from 1 before unfolding; 0 where the failure has no place there.
    public let line: Int

    package init(_ code: Code, _ message: String, line: Int = 0) {
        self.code = code
        self.message = message
        self.line = line
    }

    /// The message, with the line when there is one.
    public var description: String {
        line > 0 ? "line \(line): \(message)" : message
    }
}
