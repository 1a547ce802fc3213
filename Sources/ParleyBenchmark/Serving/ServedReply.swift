// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// A reply with the times at which its pieces came.
struct ServedReply: Sendable {
    var start: ContinuousClock.Instant
    var pieces: [ContinuousClock.Instant] = []
    var end: ContinuousClock.Instant
    var promptTokens = 0
    /// How many tokens of the prompt were in a cache.
    var cachedTokens = 0
    var tokens = 0
    /// The runner's own times, which know nothing of queues and the way here; nil where it does not tell them.
    var ownFirstToken: Duration?
    var ownTokensPerSecond: Double?

    /// The seconds from the request to the first piece; nil if there was none.
    var firstToken: Double? { pieces.first.map { ($0 - start) / .seconds(1) } }

    /// The seconds to the first token, by the runner's own times if it tells them; nil if there was none.
    var waited: Double? { ownFirstToken.map { $0 / .seconds(1) } ?? firstToken }

    /// The tokens of the prompt that were read in each second; nil if no token came.
    var readTokensPerSecond: Double? {
        guard let waited, waited > 0 else { return nil }
        return Double(max(promptTokens - cachedTokens, 1)) / waited
    }

    /// The tokens that were written in each second after the first; nil if there were none.
    var writtenTokensPerSecond: Double? {
        if let ownTokensPerSecond { return ownTokensPerSecond }
        guard tokens > 1, let first = pieces.first, let last = pieces.last, last > first else { return nil }
        return Double(tokens - 1) / ((last - first) / .seconds(1))
    }

    /// The seconds between pieces of which the later one came within a span of time.
    func gaps(from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> [Double] {
        zip(pieces, pieces.dropFirst()).compactMap { earlier, later in
            later >= begin && earlier <= end ? (later - earlier) / .seconds(1) : nil
        }
    }

    /// Asks a runner for a reply and waits for its end.
    ///
    /// - Throws: what the runner throws; ``BenchmarkError`` if it does not count its tokens.
    static func measure(
        _ runner: any ModelRunner, _ prompt: String, maxTokens: Int, longest: Duration
    ) async throws -> ServedReply {
        let times = Mutex<[ContinuousClock.Instant]>([])
        let writer = ResponseWriter(onResponse: { _ in times.withLock { $0.append(.now) } })
        let start = ContinuousClock.now
        var options = GenerationOptions(temperature: 0, maxTokens: maxTokens, timeout: longest, reasoning: .automatic)
        options.seed = 1
        let outcome = try await runner.generate(
            GenerationRequest(messages: [.user(prompt)], options: options), to: writer)
        let end = ContinuousClock.now
        if outcome.finishReason == .timeout {
            throw BenchmarkError("A reply took longer than \(longest.components.seconds) seconds.")
        }
        guard let stats = outcome.stats else {
            throw BenchmarkError("The server does not state how many tokens its replies have (usage).")
        }
        var reply = ServedReply(
            start: start, pieces: times.withLock { $0 }, end: end, promptTokens: stats.promptTokens,
            cachedTokens: stats.cachedPromptTokens, tokens: stats.completionTokens)
        reply.ownFirstToken = stats.timeToFirstToken
        reply.ownTokensPerSecond = stats.tokensPerSecond > 0 ? stats.tokensPerSecond : nil
        return reply
    }
}
