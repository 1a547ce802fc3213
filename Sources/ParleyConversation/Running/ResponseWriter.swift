// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Receives the parts of one reply from a runner.
///
/// Every part is appended to the message that enters the history and passed to the consumer, in the order of the calls.
/// A runner writes from one task; calls must not overlap. Parts written after ``ModelRunner/generate(_:to:)`` has
/// returned are ignored.
///
/// The consumer's code never runs in the runner's task. If the consumer is slow, `write` waits for it, so that the
/// reply never gets far ahead of its callbacks. Cancelling the task ends the wait.
public final class ResponseWriter: Sendable {
    private struct State {
        var reply = ReplyBuilder()
        var report: PromptReport?
        var isClosed = false
        var probabilities: [TokenProbability]?
    }

    /// No callback is called while this lock is held.
    private let state = Mutex(State())
    private let onAccept: @Sendable (PromptReport) -> Void
    private let onResponse: @Sendable (MessageResponse) -> Void
    private let onProbabilities: @Sendable ([TokenProbability]) -> Void
    private let onProgress: @Sendable (GenerationProgress) -> Void
    /// Waits until the consumer has room for more.
    private let room: @Sendable () async -> Void
    private let onStop: @Sendable () -> Void

    init(
        onAccept: @escaping @Sendable (PromptReport) -> Void, onResponse: @escaping @Sendable (MessageResponse) -> Void,
        onProbabilities: @escaping @Sendable ([TokenProbability]) -> Void = { _ in },
        onProgress: @escaping @Sendable (GenerationProgress) -> Void = { _ in },
        room: @escaping @Sendable () async -> Void, onStop: @escaping @Sendable () -> Void
    ) {
        self.onAccept = onAccept
        self.onResponse = onResponse
        self.onProbabilities = onProbabilities
        self.onProgress = onProgress
        self.room = room
        self.onStop = onStop
    }

    /// Reports that the prompt is built and fits, which adds the user's message to the history.
    ///
    /// Only the first call has an effect.
    public func acceptPrompt(_ report: PromptReport = PromptReport()) {
        let isFirst = state.withLock { state in
            guard !state.isClosed, state.report == nil else { return false }
            state.report = report
            return true
        }
        if isFirst { onAccept(report) }
    }

    /// Writes a part of the reply, and accepts the prompt if that has not been done yet.
    ///
    /// Returns when the consumer has room for more, or when the task is cancelled.
    public nonisolated(nonsending) func write(_ part: ResponsePart) async {
        acceptPrompt()
        let response = state.withLock { $0.isClosed ? nil : $0.reply.append(part) }
        guard let response else { return }
        onResponse(response)
        await room()
    }

    /// Writes several parts of the reply in order.
    public nonisolated(nonsending) func write(_ parts: [ResponsePart]) async {
        for part in parts { await write(part) }
    }

    /// Reports the tokens of the answer's next piece with their probabilities, before the piece is written.
    ///
    /// Text that is held back may come later than its tokens' probabilities; at the end both are complete.
    public func report(_ probabilities: [TokenProbability]) {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.probabilities = (state.probabilities ?? []) + probabilities }
            return !state.isClosed
        }
        if isOpen { onProbabilities(probabilities) }
    }

    /// Reports how far the reply is from its next piece, as often as the runner likes; a runner need not. Nobody is
    /// waited for.
    public func report(_ progress: GenerationProgress) {
        if state.withLock({ !$0.isClosed }) { onProgress(progress) }
    }

    /// Stops the generation by cancelling its task, as its consumer would.
    ///
    /// A runner that is being unloaded ends its generations with this function.
    public func stop() {
        onStop()
    }

    /// Ends a reply that belongs to no conversation; parts written later are ignored.
    ///
    /// - Parameter outcome: what the runner returned.
    /// - Returns: the whole reply, with the facts about it.
    public func complete(_ outcome: GenerationOutcome) -> MessageCompletion {
        let (reply, report) = close()
        var info = GenerationInfo(
            finishReason: reply.finishReason(outcome.finishReason), stats: outcome.stats, prompt: report,
            rejectedFunctionCalls: reply.rejections)
        complete(&info, outcome)
        return MessageCompletion(message: reply.message(rawOutput: outcome.rawOutput), info: info)
    }

    /// Adds what is known of the tokens of a reply that has been closed.
    func complete(_ info: inout GenerationInfo, _ outcome: GenerationOutcome) {
        info.tokens = outcome.tokens
        info.stopString = outcome.stopString
        info.probabilities = state.withLock { $0.probabilities }
    }

    /// Whether the prompt has been accepted.
    var isAccepted: Bool { state.withLock { $0.report != nil } }

    /// Returns what has been written; parts written later are ignored.
    func close() -> (reply: ReplyBuilder, report: PromptReport) {
        state.withLock { state in
            state.isClosed = true
            return (state.reply, state.report ?? PromptReport())
        }
    }
}

extension ResponseWriter {
    /// Creates a writer that belongs to no conversation, for servers and for tests of a runner.
    ///
    /// The runner never waits: a consumer that may be slow bounds what it keeps by itself. Only cancelling the task ends
    /// such a generation early; unloading the runner waits for it.
    ///
    /// - Parameters:
    ///   - onAccept: called when the prompt is accepted.
    ///   - onReport: called then too, with how the prompt was made.
    ///   - onProbabilities: called with the tokens of the answer and their probabilities, as they are reported.
    ///   - onProgress: called with how far the reply is from its next piece, as it is reported.
    ///   - onResponse: called with the responses that a consumer would get.
    public convenience init(
        onAccept: @escaping @Sendable () -> Void = {}, onReport: @escaping @Sendable (PromptReport) -> Void = { _ in },
        onProbabilities: @escaping @Sendable ([TokenProbability]) -> Void = { _ in },
        onProgress: @escaping @Sendable (GenerationProgress) -> Void = { _ in },
        onResponse: @escaping @Sendable (MessageResponse) -> Void
    ) {
        self.init(
            onAccept: {
                onAccept()
                onReport($0)
            }, onResponse: onResponse, onProbabilities: onProbabilities, onProgress: onProgress, room: {}, onStop: {})
    }
}
