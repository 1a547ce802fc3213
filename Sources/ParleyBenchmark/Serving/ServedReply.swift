// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// A reply with the times at which its pieces came.
struct ServedReply: Sendable {
    var start: ContinuousClock.Instant
    var pieces: [ContinuousClock.Instant] = []
    var end: ContinuousClock.Instant
    var promptTokens = 0
    var tokens = 0

    /// The seconds from the request to the first piece; nil if there was none.
    var firstToken: Double? { pieces.first.map { ($0 - start) / .seconds(1) } }

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
        return ServedReply(
            start: start, pieces: times.withLock { $0 }, end: end, promptTokens: stats.promptTokens,
            tokens: stats.completionTokens)
    }
}
