// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What tells one conversation of a process from another.
public struct ConversationID: Hashable, Sendable, CustomStringConvertible {
    private static let last = Atomic<UInt64>(0)
    private let number: UInt64

    /// Creates an id that no other conversation of this process has.
    public init() {
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The id, for logs.
    public var description: String { "conversation-\(number)" }
}
