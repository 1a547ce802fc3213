// SPDX-License-Identifier: Apache-2.0

/// Why a calendar cannot be read, or why something of it cannot be used.
public struct CalendarError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure this is; more kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable, Sendable { case size, depth, structure, value, rule, work, missing }
        private let kind: Kind

        /// The stream has more bytes, lines or properties than the limit.
        public static let tooLarge = Code(kind: .size)
        /// Components are nested deeper than the limit.
        public static let tooDeep = Code(kind: .depth)
        /// A component begins without an end, or ends without a beginning.
        public static let unbalanced = Code(kind: .structure)
        /// The value of a property breaks the grammar of its type.
        public static let invalidValue = Code(kind: .value)
        /// A recurrence rule breaks the grammar of RFC 5545, or has a part that is not known.
        public static let invalidRule = Code(kind: .rule)
        /// There are more occurrences than the limit, or finding them takes more work than is allowed.
        public static let tooManyOccurrences = Code(kind: .work)
        /// What is to be changed is not in the calendar, or lacks what the change needs.
        public static let notFound = Code(kind: .missing)
    }

    /// What kind of failure this is.
    public let code: Code
    /// What happened and what to do, without any text of the calendar but names of properties and components.
    public let message: String
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
