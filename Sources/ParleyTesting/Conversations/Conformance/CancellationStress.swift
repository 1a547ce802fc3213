// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyRuntime

/// A test that lets two conversations generate on one runner at the same time, and stops them at random moments.
///
/// ```swift
/// func stress(_ runner: any ModelRunner) async throws {
///     let report = try await CancellationStress(rounds: 100).run(on: runner)
///     print(report.stopped, report.latencies.max() ?? .zero)
/// }
/// ```
public struct CancellationStress: Sendable {
    /// The number of replies that each conversation generates.
    public var rounds: Int
    /// The seed for choosing the moments.
    public var seed: UInt64
    /// The largest number of pieces after which a reply is stopped.
    public var mostPieces: Int
    /// If not nil, each reply is stopped after a random time of at most this, instead of after a number of pieces, so
    /// that the moment may be while the prompt is being processed.
    public var longestWait: Duration?
    /// The message that both conversations send, each after its own name.
    public var prompt: String
    /// The options for all replies.
    public var options: GenerationOptions
    /// The number of rounds after which a new conversation begins, so that prompts stay short.
    public var turns = 4
    /// Whether the same options and history always give the same reply, even when other generations are running.
    ///
    /// If true, the first reply of each conversation must be a prefix of the reply that it gets when it runs alone.
    public var isDeterministic = true

    /// The results of the test.
    public struct Report: Sendable {
        /// The number of replies that were stopped.
        public var stopped = 0
        /// The number of replies that ended before they were stopped.
        public var ended = 0
        /// The times from a stop before the first piece to the completion.
        public var promptLatencies: [Duration] = []
        /// The times from a stop after the first piece to the completion.
        public var replyLatencies: [Duration] = []
        /// All times from a stop to the completion.
        public var latencies: [Duration] { promptLatencies + replyLatencies }
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
    /// - Returns: how the replies ended, and how long stopping took.
    /// - Throws: ``ConformanceFailure`` for the first reply that breaks a rule.
    public func run(on runner: any ModelRunner) async throws -> Report {
        let messages = ["Ada", "Bob"].map { ChatMessage.user("I am \($0). \(prompt)") }
        var alone: [ChatMessage] = []
        if isDeterministic {
            for message in messages {
                let conversation = runner.createConversation(systemPrompt: Self.systemPrompt)
                let reply = conversation.reply(to: message, generationOptions: options)
                alone.append(try await reply.completion.message)
            }
        }
        let replies = alone
        async let left = oneSide(runner, messages[0], SplitMix64(seed: seed), alone: replies.first)
        async let right = oneSide(runner, messages[1], SplitMix64(seed: ~seed), alone: replies.last)
        let (one, other) = try await (left, right)
        return Report(
            stopped: one.stopped + other.stopped, ended: one.ended + other.ended,
            promptLatencies: one.promptLatencies + other.promptLatencies,
            replyLatencies: one.replyLatencies + other.replyLatencies)
    }

    private static let systemPrompt = "Be brief."

    private func oneSide(
        _ runner: any ModelRunner, _ message: ChatMessage, _ numbers: SplitMix64, alone: ChatMessage?
    ) async throws -> Report {
        var numbers = numbers
        var report = Report()
        var conversation = runner.createConversation(systemPrompt: Self.systemPrompt)
        for round in 0..<rounds {
            let isFirst = round % turns == 0
            if isFirst { conversation = runner.createConversation(systemPrompt: Self.systemPrompt) }
            let text = try await turn(conversation, message, &numbers, &report)
            guard isFirst, let alone else { continue }
            // Compares Unicode scalars, because a reply may be stopped within a character, of which the first scalars
            // are delivered.
            let said = text.unicodeScalars.prefix { $0 != "\u{FFFD}" }
            // If the reply is stopped within a tag, the beginning of the tag is delivered as text, so the raw output is
            // compared too.
            let isSame = [alone.text, alone.rawOutput ?? ""].contains { $0.unicodeScalars.starts(with: said) }
            try require(isSame, "In company it says \(text), alone \(alone.text).")
        }
        return report
    }

    /// Generates a reply, stops it at a random moment, and returns its text.
    private func turn(
        _ conversation: Conversation, _ message: ChatMessage, _ numbers: inout SplitMix64, _ report: inout Report
    ) async throws -> String {
        let before = conversation.history
        let (replies, latency) = await replies(of: conversation, to: message, number: numbers.next())
        try require(replies.error == nil, "It threw: \(replies.error?.message ?? "")")
        guard replies.completions.count == 1, case .complete(let completion)? = replies.responses.last else {
            try require(false, "There were \(replies.completions.count) completions, or one was not the last.")
            return ""
        }
        if completion.finishReason == .cancelled {
            report.stopped += 1
            guard let latency else { return "" }
            if replies.responses.count == 1 {
                report.promptLatencies.append(latency)
            } else {
                report.replyLatencies.append(latency)
            }
        } else {
            report.ended += 1
        }
        try require(replies.text == completion.message.text, "The pieces joined are not the message.")
        let isNothing = completion.finishReason == .cancelled && completion.message.isEmpty
        let expected = before + [message] + (isNothing ? [] : [completion.message])
        try require(conversation.history == expected, "The history is \(conversation.history), not \(expected).")
        try require(!conversation.isGenerating, "The conversation is still generating.")
        return replies.text
    }

    private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard !condition else { return }
        throw ConformanceFailure(check: "Stopping at any moment keeps the rules (rules 1, 3, 4)", message: message())
    }
}
