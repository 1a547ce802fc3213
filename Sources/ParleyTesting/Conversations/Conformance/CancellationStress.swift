// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyRuntime
import Synchronization

/// Two conversations on one runner, generating at the same time and stopped at random moments.
///
/// ```swift
/// func stress(_ runner: any ModelRunner) async throws {
///     let report = try await CancellationStress(rounds: 100).run(on: runner)
///     print(report.stopped, report.latencies.max() ?? .zero)
/// }
/// ```
public struct CancellationStress: Sendable {
    /// How often both conversations generate and are stopped.
    public var rounds: Int
    /// Chooses the moments.
    public var seed: UInt64
    /// How many pieces of a reply may come before it is stopped.
    public var mostPieces: Int
    /// What both conversations are asked.
    public var prompt: String
    /// How replies are generated.
    public var options: GenerationOptions
    /// After how many rounds a conversation begins anew, so that prompts stay short.
    public var turns = 4

    /// What was found.
    public struct Report: Sendable {
        /// How many replies were stopped, and how many ended by themselves before that.
        public var stopped = 0
        /// How many replies ended by themselves.
        public var ended = 0
        /// From each stop to the completion.
        public var latencies: [Duration] = []
    }

    /// Creates a stress test.
    public init(
        rounds: Int = 1_000, seed: UInt64 = 1, mostPieces: Int = 12,
        prompt: String = "Count from one to thirty in words.",
        options: GenerationOptions = GenerationOptions(temperature: 0, seed: 1, maxTokens: 32)
    ) {
        self.rounds = rounds
        self.seed = seed
        self.mostPieces = mostPieces
        self.prompt = prompt
        self.options = options
    }

    /// Runs the test.
    ///
    /// - Throws: ``ConformanceFailure`` at the first reply that breaks a rule.
    public func run(on runner: any ModelRunner) async throws -> Report {
        async let left = oneSide(runner, SplitMix64(seed: seed))
        async let right = oneSide(runner, SplitMix64(seed: ~seed))
        let (one, other) = try await (left, right)
        return Report(
            stopped: one.stopped + other.stopped, ended: one.ended + other.ended,
            latencies: one.latencies + other.latencies)
    }

    private func oneSide(_ runner: any ModelRunner, _ numbers: SplitMix64) async throws -> Report {
        var numbers = numbers
        var report = Report()
        var conversation = runner.createConversation(systemPrompt: "Be brief.")
        for round in 0..<rounds {
            if round % turns == 0 { conversation = runner.createConversation(systemPrompt: "Be brief.") }
            try await turn(conversation, Int(numbers.next() % UInt64(mostPieces + 1)), &report)
        }
        return report
    }

    /// One reply, stopped after so many pieces.
    private func turn(_ conversation: Conversation, _ pieces: Int, _ report: inout Report) async throws {
        let before = conversation.history
        let recorder = ResponseRecorder()
        let stopper = Stopper()
        let handler = conversation.generateResponse(
            message: .user(prompt), generationOptions: options,
            onResponse: { response in
                recorder.record(response)
                if recorder.replies.responses.count >= pieces { stopper.stop() }
            },
            onError: { recorder.record($0) })
        stopper.take(handler)
        if pieces == 0 { stopper.stop() }
        await recorder.end()
        if let latency = stopper.latency { report.latencies.append(latency) }
        let replies = recorder.replies
        func require(_ condition: Bool, _ message: String) throws {
            guard !condition else { return }
            throw ConformanceFailure(check: "Stopping at any moment keeps the rules (rules 1, 3, 4)", message: message)
        }
        try require(replies.error == nil, "It threw: \(replies.error?.message ?? "")")
        guard replies.completions.count == 1, case .complete(let completion)? = replies.responses.last else {
            return try require(false, "There were \(replies.completions.count) completions, or one was not the last.")
        }
        if completion.finishReason == .cancelled { report.stopped += 1 } else { report.ended += 1 }
        try require(replies.text == completion.message.text, "The pieces joined are not the message.")
        let isNothing = completion.finishReason == .cancelled && completion.message.isEmpty
        let expected = before + [.user(prompt)] + (isNothing ? [] : [completion.message])
        try require(conversation.history == expected, "The history is \(conversation.history), not \(expected).")
        try require(!conversation.isGenerating, "The conversation is still generating.")
    }

    /// Stops a generation whose handler may come later than the wish to stop it.
    private final class Stopper: Sendable {
        private struct State {
            var handler: (any GenerationHandler)?
            var wish: ContinuousClock.Instant?
        }

        /// A leaf lock: the handler is called after it is released.
        private let state = Mutex(State())

        func take(_ handler: (any GenerationHandler)?) {
            let isWished = state.withLock { state in
                state.handler = handler
                return state.wish != nil
            }
            if isWished { handler?.stop() }
        }

        func stop() {
            let handler = state.withLock { state in
                state.wish = state.wish ?? .now
                return state.handler
            }
            handler?.stop()
        }

        /// How long ago the wish was.
        var latency: Duration? { state.withLock { $0.wish.map { .now - $0 } } }
    }
}
