// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleySystem

/// One message of the user on its way to a reply.
@MainActor
final class ChatTurn {
    /// What the user wrote.
    struct Draft {
        var text: String
        var attachments: [ChatAttachment] = []
        var replyingTo: ChatItem.ID?
        /// The message of which this is a new version.
        var replaces: ChatItem.ID?
        /// The reply of which another version is wanted, or the message without a reply; then there is no new message.
        var regenerates: ChatItem.ID?
        /// The reply with which the model goes on; then there is no new message either.
        var continues: ChatItem.ID?
        /// The model for this reply alone; nil for that of the chat.
        var model: String?
    }

    /// How the generation of a reply ended.
    enum Outcome {
        /// The model ended it, or a limit did.
        case ended(FinishReason)
        case stopped
        case timedOut
        case failed(any Error)
    }

    let draft: Draft
    /// The reply that is being generated; found again by its id after every suspension.
    var replyID: ChatItem.ID?
    /// The model that replies.
    var model: ChatModel?
    /// Whether that is another model than the chat's.
    var isGuest = false
    /// What the model has written of the answer so far.
    var written = ""
    /// The model's reasoning, whether it is shown or not.
    var thinking = ""
    var blocks: [ActionBlock] = []
    var calls: [FunctionCall] = []
    var scanner = ActionBlockScanner()
    /// The answer without its blocks.
    var shown = TextWithoutBlocks()
    /// Whether something of the reply has come.
    var hasBegun = false
    /// Tells how long the model has been reasoning; nil while it does not.
    var thinkingTime: (() -> Duration)?
    /// Whether the reply waits for others to end, which its time does not count.
    private(set) var isQueued = false
    /// Tells how long ago that ended; nil if the reply has not waited.
    private var servedTime: (() -> Duration)?
    private(set) var isStopped = false
    private(set) var isTimedOut = false
    /// Ends what the turn is waiting for.
    private var interrupt: (@Sendable () -> Void)?

    init(_ draft: Draft) { self.draft = draft }

    /// How long the model reasoned until now, in seconds, in tenths; nil if it is not, or no longer, reasoning.
    func endThinking() -> Double? {
        defer { thinkingTime = nil }
        return thinkingTime.map { ($0() / .milliseconds(100)).rounded() / 10 }
    }

    /// Whether the turn must come to its end.
    var isOver: Bool { isStopped || isTimedOut }

    /// The user stops the turn, or has deleted its reply.
    func stop() {
        isStopped = true
        interrupt?()
    }

    /// The reply waits for others to end.
    func wait() { isQueued = true }

    /// The reply is no longer waiting.
    func serve(_ clock: some Clock<Duration>) {
        if isQueued { (isQueued, servedTime) = (false, clock.stopwatch()) }
    }

    /// What is left of the time of the reply, when that time has passed since its beginning.
    func timeLeft(of limit: Duration) -> Duration {
        isQueued ? limit : servedTime.map { limit - $0() } ?? .zero
    }

    /// The deadline has passed.
    func timeOut() {
        guard !isStopped else { return }
        isTimedOut = true
        interrupt?()
    }

    /// Does work that stopping the turn interrupts.
    func during<Result>(_ interrupt: @escaping @Sendable () -> Void, _ work: () async throws -> Result) async rethrows
        -> Result
    {
        self.interrupt = interrupt
        defer { self.interrupt = nil }
        if isOver { interrupt() }
        return try await work()
    }

    /// Begins a further reply of the same turn.
    func restart() {
        (written, thinking, blocks, calls) = ("", "", [], [])
        (scanner, shown) = (ActionBlockScanner(), TextWithoutBlocks())
        (hasBegun, thinkingTime, isQueued, servedTime) = (false, nil, false, nil)
        isTimedOut = false
    }
}
