// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyRuntime

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
    /// The seed of the random moments.
    public var seed: UInt64
    /// How many pieces of a reply may come before it is stopped.
    public var mostPieces: Int
    /// If not nil, a reply is stopped after a random time of up to this rather than after some pieces, so that the
    /// moment may lie within the prompt.
    public var longestWait: Duration?
    /// The message that both conversations are sent, each with its own name in front.
    public var prompt: String
    /// How replies are generated.
    public var options: GenerationOptions
    /// After how many rounds a conversation begins anew, so that prompts stay short.
    public var turns = 4
    /// Whether the same options and history give the same reply, whatever else runs. Then each first reply of a
    /// conversation has to be a prefix of the reply without the other conversation.
    public var isDeterministic = true

    /// What was found.
    public struct Report: Sendable {
        /// How many replies were stopped.
        public var stopped = 0
        /// How many replies ended by themselves before they were stopped.
        public var ended = 0
        /// From each stop before the first piece to the completion.
        public var promptLatencies: [Duration] = []
        /// From each stop after the first piece to the completion.
        public var replyLatencies: [Duration] = []
        /// All of these.
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
    /// - Throws: ``ConformanceFailure`` at the first reply that breaks a rule.
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
            // By scalars: a reply may be stopped inside a character, whose first scalars are then delivered.
            let said = text.unicodeScalars.prefix { $0 != "\u{FFFD}" }
            // An incomplete tag at the end is text.
            let isSame = [alone.text, alone.rawOutput ?? ""].contains { $0.unicodeScalars.starts(with: said) }
            try require(isSame, "In company it says \(text), alone \(alone.text).")
        }
        return report
    }

    /// One reply, stopped at a random moment; its text.
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
