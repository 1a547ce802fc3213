// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Conversation {
    /// Creates a request without admitting it. Its runner waits while `ahead` events are undelivered.
    func session(
        _ message: ChatMessage?, _ options: GenerationOptions?, functions: [Function] = [],
        series: ReplySeries? = nil, ahead: Int = .max, runner: (any ModelRunner)? = nil
    ) -> GenerationSession {
        if let runner { receive(runner) }
        return GenerationSession(
            message: message, options: options, functions: functions, series: series,
            events: EventBuffer(limit: ahead) { $0.join($1) }, runner: runner ?? modelRunner, conversation: self)
    }

    /// Admits a request; if the conversation is busy, its policy decides. The caller must end a request that is
    /// refused.
    func admit(_ session: GenerationSession) -> ConversationState.Admission {
        let admission = state.withLock { $0.admit(session) }
        switch admission {
        case .launch, .wait:
            session.startTimer()
            // The generation's only task. It belongs to the session, which cancels it, and inherits the priority and
            // the task-local values of the caller, even if it has to wait for other generations.
            session.attach(
                Task {
                    if let request = await session.turn() { await self.run(session, request) }
                })
            if admission == .launch { launch(session) }
        case .ignore, .refuse: break
        }
        return admission
    }

    /// Withdraws a request that is still waiting for its turn; false if it is not waiting.
    func withdraw(_ session: GenerationSession) -> Bool {
        guard state.withLock({ $0.withdraw(session) }) else { return false }
        session.begin(nil)
        session.complete(.nothing(session.ending ?? .cancelled))
        return true
    }

    /// Ends a series of replies, so that other requests may begin; does nothing if it has not begun.
    func end(_ series: ReplySeries) { proceed(state.withLock { $0.end(series) }) }

    /// Adds the result of a function of the series that runs.
    func settle(_ result: ChatMessage) { state.withLock { $0.settle(result) } }

    /// Starts a generation. The runner's request is created here, so that later changes do not affect it.
    private func launch(_ session: GenerationSession) {
        session.begin(state.withLock { $0.request(for: session, id: id) })
    }

    private func run(_ session: GenerationSession, _ request: GenerationRequest) async {
        let writer = ResponseWriter(
            onAccept: { _ in self.state.withLock { $0.accept(session) } },
            onResponse: { session.events.append($0) },
            onProgress: { session.progressed.yield($0) },
            room: { await session.events.room() },
            onStop: { session.stop() })
        do {
            guard !request.messages.isEmpty else {
                throw ConversationError(.invalidInput, "There is no message to reply to; add one first.")
            }
            try request.options.validate()
            let outcome = try await session.runner.generate(request, to: writer)
            complete(session, writer, outcome)
        } catch {
            if error is CancellationError || (session.ending != nil && (writer.isAccepted || Self.tellsEnd(error))) {
                complete(session, writer, GenerationOutcome(.cancelled))
            } else {
                fail(session, writer, error)
            }
        }
    }

    /// Whether an error only reports that the task was cancelled.
    private static func tellsEnd(_ error: any Error) -> Bool {
        if error is CancellationError { return true }
        return (error as? ConversationError)?.cause.map(tellsEnd) ?? false
    }

    private func complete(_ session: GenerationSession, _ writer: ResponseWriter, _ outcome: GenerationOutcome) {
        let (reply, report) = writer.close()
        // A runner is asked to end without being told the reason.
        let end = outcome.finishReason == .cancelled ? session.ending ?? .cancelled : outcome.finishReason
        let reason = reply.finishReason(end)
        let message = reply.message(rawOutput: outcome.rawOutput)
        // An empty reply that was cut off is not kept; one that ended normally is kept, so that roles alternate.
        let wasCutOff = reason == .cancelled || reason == .timeout
        let sequel = state.withLock { $0.complete(session, reply: wasCutOff && message.isEmpty ? nil : message) }
        var info = GenerationInfo(
            finishReason: reason, stats: outcome.stats, prompt: report, rejectedFunctionCalls: reply.rejections)
        writer.complete(&info, outcome)
        session.complete(MessageCompletion(message: message, info: info))
        proceed(sequel)
    }

    private func fail(_ session: GenerationSession, _ writer: ResponseWriter, _ error: any Error) {
        _ = writer.close()
        let sequel = state.withLock { $0.end() }
        session.fail(
            error as? ConversationError
                ?? ConversationError(
                    .generationFailed,
                    "The model failed while it generated a reply; the error's cause says why. Ask again, or load the "
                        + "model anew.", cause: error))
        proceed(sequel)
    }

    private func proceed(_ sequel: ConversationState.Sequel) {
        if let next = sequel.next { launch(next) }
        for waiter in sequel.idleWaiters { waiter.resume() }
    }
}

extension MessageCompletion {
    /// The completion of a request that was never started: an empty message.
    static func nothing(_ reason: FinishReason) -> MessageCompletion {
        MessageCompletion(
            message: ChatMessage(role: .assistant, content: []), info: GenerationInfo(finishReason: reason))
    }
}
