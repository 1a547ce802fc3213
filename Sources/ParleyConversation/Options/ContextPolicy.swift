// SPDX-License-Identifier: Apache-2.0

/// What happens when a prompt does not fit into the model's context; more policies may be added.
public struct ContextPolicy: Hashable, Sendable {
    private enum Value { case error, dropOldestTurns }
    private let value: Value

    /// The generation throws ``ConversationError`` with code `promptExceedsContext`.
    public static let error = ContextPolicy(value: .error)
    /// Whole turns are left out of the prompt, the oldest first; the system prompt and the last user turn stay. The
    /// history itself keeps everything, and the completion says how many turns were left out.
    public static let dropOldestTurns = ContextPolicy(value: .dropOldestTurns)
}
