// SPDX-License-Identifier: Apache-2.0

import Logging
import ParleyConversation
import ParleyOpenAI
import Synchronization

/// What is logged of a request, in one line when it has ended: never a prompt, a reply, a key or a query.
final class RequestRecord: Sendable {
    private struct Facts {
        var route = "none"
        var model: String?
        var key: String?
        var status = 0
        var stats: GenerationStats?
        var reason: String?
        var isWritten = false
    }

    /// The id of the request, which the answer tells too.
    let id: String
    private let trace: String?
    private let began = ContinuousClock.now
    private let logger: Logger
    private let metrics: ServerMetrics
    /// No other lock is taken while this one is held.
    private let facts = Mutex(Facts())

    init(logger: Logger, metrics: ServerMetrics, trace: String?) {
        var generator = SystemRandomNumberGenerator()
        id = "req_" + String(generator.next() as UInt64, radix: 36) + String(generator.next() as UInt64, radix: 36)
        self.logger = logger
        self.metrics = metrics
        // A traceparent has 55 characters, which are digits and dashes; others are not carried.
        self.trace = trace.flatMap { text in
            text.utf8.count == 55 && text.allSatisfy { $0 == "-" || $0.isHexDigit } ? text : nil
        }
    }

    /// The route is known.
    func set(route: Route) { facts.withLock { $0.route = route.rawValue } }

    /// Who sent it is known.
    func set(key: String?) { facts.withLock { $0.key = key } }

    /// The model is known.
    func set(model: String) { facts.withLock { $0.model = model } }

    /// A reply has ended, and has used so much; its prompt is not counted where it is that of a reply before it.
    func count(_ stats: GenerationStats, sharesPrompt: Bool = false) {
        metrics.completed(stats)
        facts.withLock { facts in
            var sum = (facts.stats ?? .nothing).adding(stats, sharesPrompt: sharesPrompt)
            sum.timeToFirstToken = sum.timeToFirstToken ?? stats.timeToFirstToken
            facts.stats = sum
        }
    }

    /// Why it has ended: why its last reply did, or a reason that is no reply's.
    func end(_ reason: String) { facts.withLock { $0.reason = reason } }

    /// Writes the line; only the first call does.
    func write(status: Int) {
        let facts = facts.withLock { facts in
            defer { facts.isWritten = true }
            return facts
        }
        guard !facts.isWritten else { return }
        let time = began.duration(to: .now)
        metrics.answered(facts.route, status: status, after: time)
        if facts.reason == "disconnected" { metrics.disconnected() }
        var metadata: Logger.Metadata = [
            "id": "\(id)", "route": "\(facts.route)", "status": "\(status)", "seconds": "\(time / .seconds(1))",
        ]
        metadata["model"] = facts.model.map { "\($0)" }
        metadata["key"] = facts.key.map { "\($0)" }
        metadata["reason"] = facts.reason.map { "\($0)" }
        metadata["traceparent"] = trace.map { "\($0)" }
        if let stats = facts.stats {
            metadata["prompt_tokens"] = "\(stats.promptTokens)"
            metadata["cached_tokens"] = "\(stats.cachedPromptTokens)"
            metadata["completion_tokens"] = "\(stats.completionTokens)"
            // Embeddings have no first token.
            if stats.completionTokens > 0 {
                metadata["first_token_seconds"] = "\((stats.timeToFirstToken ?? .zero) / .seconds(1))"
            }
        }
        logger.info("A request was answered.", metadata: metadata)
    }
}
