// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
import Synchronization

/// Measures how fast a runner replies to several at a time, as its callers see it.
///
/// A server is measured through a runner over HTTP, and a model in this process through its own: whatever replies is
/// measured by the same code.
package struct ServingBenchmark: Sendable {
    private let callers: Callers
    private let plan: ServingPlan

    /// Creates the measurements of a runner.
    package init(_ runner: any ModelRunner, plan: ServingPlan = ServingPlan()) {
        self.init(plan: plan) { runner }
    }

    /// Creates the measurements of a server, of which each caller has a runner of its own.
    ///
    /// - Parameters:
    ///   - plan: what is measured.
    ///   - runner: makes the runner of a caller, who keeps it and, if it can, its connection.
    package init(plan: ServingPlan = ServingPlan(), runner: @escaping @Sendable () -> any ModelRunner) {
        callers = Callers(runner)
        self.plan = plan
    }

    /// Makes the measurements.
    ///
    /// - Parameter progress: receives a description of the next measurement.
    /// - Returns: the results; those of skipped measurements are nil.
    /// - Throws: ``BenchmarkError``, what the runner throws, and `CancellationError`.
    package func run(progress: @Sendable (String) -> Void = { _ in }) async throws -> ServingResults {
        try plan.check()
        progress("warm-up")
        var words = try await calibrate()
        var results = ServingResults()
        for streams in plan.streams {
            progress("\(streams) at a time")
            var speeds: [Double] = []
            for _ in 0..<plan.repetitions {
                try await connect(streams)
                speeds.append(try await speed(streams, &words))
            }
            results.speeds.append((streams, Samples(speeds)))
        }
        if plan.prompt > 0 {
            progress("a prompt of \(plan.prompt)")
            var waits: [Double] = []
            for _ in 0..<plan.repetitions {
                try await connect(1)
                let reply = try await reply(to: words.text(promptTokens: plan.prompt), 2)
                waits.append(try Self.firstToken(reply))
            }
            results.firstToken = Samples(waits)
        }
        if plan.longPrompt > 0 {
            progress("a prompt of \(plan.longPrompt) beside \(plan.companions) replies")
            var (waits, gaps): ([Double], [Double]) = ([], [])
            for _ in 0..<plan.repetitions {
                try await connect(plan.companions + 2)
                let (wait, gap) = try await company(&words)
                waits.append(wait)
                gaps.append(gap)
            }
            (results.shortBesideLong, results.gapBesideLong) = (Samples(waits), Samples(gaps))
        }
        if plan.common > 0 {
            progress("\(plan.crowd) with \(plan.common) tokens in common")
            var waits: [Double] = []
            for _ in 0..<plan.repetitions {
                try await connect(plan.crowd)
                waits.append(try await crowd(&words))
            }
            results.crowdFirstToken = Samples(waits)
        }
        return results
    }

    private func reply(to prompt: String, _ maxTokens: Int) async throws -> ServedReply {
        let runner = callers.take()
        defer { callers.give(runner) }
        return try await ServedReply.measure(runner, prompt, maxTokens: maxTokens, longest: plan.longestReply)
    }

    /// Lets so many callers have a connection: on Linux, URLSession takes a core for as long as the first request of one
    /// waits, which would be measured too.
    private func connect(_ count: Int) async throws {
        let runners = (0..<count).map { _ in callers.take() }
        defer { for runner in runners { callers.give(runner) } }
        try await withThrowingTaskGroup { group in
            for runner in runners {
                group.addTask {
                    _ = try await ServedReply.measure(runner, "Hi", maxTokens: 1, longest: plan.longestReply)
                }
            }
            try await group.waitForAll()
        }
    }

    private static func firstToken(_ reply: ServedReply) throws -> Double {
        guard let wait = reply.firstToken else { throw BenchmarkError("A reply had no text at all.") }
        return wait
    }

    /// Warms up, and learns how many tokens words have.
    private func calibrate() async throws -> PromptWords {
        // Other prompts than those of an earlier run, whose prefixes a server may still know.
        var words = PromptWords(seed: .random(in: 0...(.max)))
        var lengths: [(words: Int, tokens: Int)] = []
        for count in [16, 64] {
            let reply = try await reply(to: words.text(words: count), 4)
            lengths.append((count, reply.promptTokens))
        }
        words.learn(lengths[0], lengths[1])
        return words
    }

    /// Several replies at once; their tokens for each second of the whole.
    private func speed(_ streams: Int, _ words: inout PromptWords) async throws -> Double {
        let prompts = (0..<streams).map { _ in words.text(promptTokens: plan.shortPrompt) }
        let replies = try await all(prompts, plan.replyTokens)
        let start = replies.map(\.start).min() ?? .now
        let end = replies.map(\.end).max() ?? .now
        let tokens = replies.reduce(0) { $0 + $1.tokens }
        guard tokens > 0, end > start else { throw BenchmarkError("The replies had no text at all.") }
        return Double(tokens) / ((end - start) / .seconds(1))
    }

    private func all(_ prompts: [String], _ maxTokens: Int) async throws -> [ServedReply] {
        try await withThrowingTaskGroup { group in
            for prompt in prompts { group.addTask { try await reply(to: prompt, maxTokens) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Prompts that arrive at once and have most of their text in common; the median of their first tokens.
    private func crowd(_ words: inout PromptWords) async throws -> Double {
        let common = words.text(tokens: plan.common)
        let prompts = (0..<plan.crowd).map { _ in common + " " + words.text(tokens: plan.shortPrompt) }
        return Samples(try await all(prompts, 2).map(Self.firstToken)).median
    }

    /// Short prompts, one after another, while a long one is read and others are replied to.
    ///
    /// - Returns: the 99th percentile of the short prompts' first tokens, and of the gaps within the others' replies.
    private func company(_ words: inout PromptWords) async throws -> (firstToken: Double, gap: Double) {
        let companions = (0..<plan.companions).map { _ in words.text(promptTokens: plan.shortPrompt) }
        let long = words.text(promptTokens: plan.longPrompt)
        // More than there is time for; each is sent when the one before it has its answer.
        let short = (0..<200).map { _ in words.text(promptTokens: plan.shortPrompt) }
        let runners = plan.companions
        let begun = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: [ServedReply].self) { group in
            let over = Event()
            for prompt in companions {
                group.addTask {
                    // Also where it fails: nobody waits for it then.
                    defer { begun.continuation.finish() }
                    var replies: [ServedReply] = []
                    var text = prompt
                    repeat {
                        replies.append(try await reply(to: text, plan.replyTokens))
                        begun.continuation.yield()
                        text += " again"
                    } while !over.hasHappened
                    return replies
                }
            }
            // All have replied once, so that they reply in the middle of the measurement, not in step.
            var count = 0
            for await _ in begun.stream {
                count += 1
                if count == runners { break }
            }
            try Task.checkCancellation()
            let start = ContinuousClock.now
            async let reading = reply(to: long, 2)
            async let waits = {
                var waits: [Double] = []
                for prompt in short where waits.isEmpty || !over.hasHappened {
                    waits.append(try Self.firstToken(try await reply(to: prompt, 2)))
                }
                return waits
            }()
            _ = try await reading
            let end = ContinuousClock.now
            over.happen()
            let firstTokens = try await waits
            let gaps = try await group.reduce(into: [Double]()) { gaps, replies in
                for reply in replies { gaps += reply.gaps(from: start, to: end) }
            }
            guard !gaps.isEmpty else { throw BenchmarkError("No reply went on while the long prompt was read.") }
            return (Samples(firstTokens).percentile(99), Samples(gaps).percentile(99))
        }
    }
}

/// The runners of the callers who wait for nothing; who used one last uses it first.
private final class Callers: Sendable {
    private let idle = Mutex<[any ModelRunner]>([])
    private let make: @Sendable () -> any ModelRunner

    init(_ make: @escaping @Sendable () -> any ModelRunner) { self.make = make }

    func take() -> any ModelRunner { idle.withLock { $0.popLast() } ?? make() }

    func give(_ runner: any ModelRunner) { idle.withLock { $0.append(runner) } }
}

/// Something that happens once, of which several tasks learn.
private final class Event: Sendable {
    private let state = Mutex(false)

    var hasHappened: Bool { state.withLock { $0 } }

    func happen() { state.withLock { $0 = true } }
}
