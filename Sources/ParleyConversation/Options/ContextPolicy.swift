// SPDX-License-Identifier: Apache-2.0

/// What happens when a prompt does not fit into the model's context; more policies may be added.
public struct ContextPolicy: Hashable, Sendable {
    private enum Value { case error, dropOldestTurns, summarise }
    private let value: Value

    /// The generation throws ``ConversationError`` with code `promptExceedsContext`.
    public static let error = ContextPolicy(value: .error)
    /// Whole turns are left out of the prompt, the oldest first; the messages of system and developer at the start and
    /// the last user turn stay. The history itself keeps everything, and the completion says how many turns were left
    /// out.
    public static let dropOldestTurns = ContextPolicy(value: .dropOldestTurns)
    /// The oldest turns are replaced by a summary that the model itself writes of them; what ``dropOldestTurns`` keeps
    /// stays.
    ///
    /// The history itself keeps everything, and the completion says how many turns were summarised
    /// (``PromptReport/summarisedTurns``). Writing a summary takes about as long as a reply, which counts for the
    /// reply's timeout; it is kept for later turns. Where it fails, and with runners that write none, turns are left
    /// out as with ``dropOldestTurns``, and the completion says so.
    public static let summarise = ContextPolicy(value: .summarise)
}
