// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Conversation {
    /// A request that was made, and whether it will be worked on.
    struct Start {
        var session: GenerationSession
        var isAdmitted: Bool
    }

    /// Makes a request; where the conversation is busy, its policy decides.
    func start(
        _ message: ChatMessage?, _ options: GenerationOptions?, sink: ResponseSink, runner: (any ModelRunner)? = nil
    ) -> Start {
        let session = GenerationSession(
            message: message, options: options, sink: sink, runner: runner ?? modelRunner, conversation: self)
        if case .stream(let continuation) = sink {
            // Set before the request is made, so that no end is missed. Ends of other kinds come from here.
            continuation.onTermination = { if case .cancelled = $0 { session.stop() } }
        }
        switch state.withLock({ $0.admit(session) }) {
        case .launch: launch(session)
        case .wait: break
        case .ignore:
            session.takeSink()?.dismiss(.stop)
            return Start(session: session, isAdmitted: false)
        case .refuse:
            session.takeSink()?.refuse()
            return Start(session: session, isAdmitted: false)
        }
        return Start(session: session, isAdmitted: true)
    }

    /// Takes back a request that still waits for its turn.
    func withdraw(_ session: GenerationSession) {
        if state.withLock({ $0.withdraw(session) }) { session.takeSink()?.dismiss(.cancelled) }
    }

    /// The one task of a generation. It belongs to the session, which cancels it; the sinks hear its end.
    private func launch(_ session: GenerationSession) {
        session.attach(Task { await self.run(session) })
    }

    private func run(_ session: GenerationSession) async {
        let writer = ResponseWriter(
            onAccept: { self.state.withLock { $0.accept(session) } },
            onResponse: { session.send($0) },
            onStop: { session.stop() })
        do {
            let request = state.withLock { $0.request(for: session, id: id) }
            guard !request.messages.isEmpty else {
                throw ConversationError(.invalidInput, "There is no message to reply to; add one first.")
            }
            try request.options.validate()
            let outcome = try await session.runner.generate(request, to: writer)
            complete(session, writer, outcome)
        } catch {
            if error is CancellationError || (session.isStopping && writer.isAccepted) {
                complete(session, writer, GenerationOutcome(.cancelled))
            } else {
                fail(session, writer, error)
            }
        }
    }

    private func complete(_ session: GenerationSession, _ writer: ResponseWriter, _ outcome: GenerationOutcome) {
        let (reply, report) = writer.close()
        let reason = reply.finishReason(outcome.finishReason)
        let message = reply.message(rawOutput: outcome.rawOutput)
        // A reply that was cut off before it said anything is none; one that ended by itself keeps roles alternating.
        let wasCutOff = reason == .cancelled || reason == .timeout
        let sequel = state.withLock { $0.complete(session, reply: wasCutOff && message.isEmpty ? nil : message) }
        let info = GenerationInfo(
            finishReason: reason, stats: outcome.stats, prompt: report, rejectedFunctionCalls: reply.rejections)
        session.takeSink()?.complete(MessageCompletion(message: message, info: info))
        proceed(sequel)
    }

    private func fail(_ session: GenerationSession, _ writer: ResponseWriter, _ error: any Error) {
        _ = writer.close()
        let sequel = state.withLock { $0.end() }
        session.takeSink()?.fail(
            error as? ConversationError
                ?? ConversationError(.generationFailed, "The model failed while it generated a reply.", cause: error))
        proceed(sequel)
    }

    private func proceed(_ sequel: ConversationState.Sequel) {
        if let next = sequel.next { launch(next) }
        for waiter in sequel.idleWaiters { waiter.resume() }
    }
}
