// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
import ParleyTokenizer

/// Measures the speed of prefill and decoding of a loaded model.
///
/// Prompts consist of arbitrary tokens, because speed does not depend on them. Each measurement is preceded by a
/// warm-up, which fills caches and wakes threads.
package struct EngineBenchmark: Sendable {
    let model: any TokenModel
    let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a benchmark of a model that reads the time from `now`.
    package init(model: any TokenModel, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.model = model
        self.now = now
    }

    /// Measures the prefill of a prompt in an empty sequence; the last token's logits are computed, but no token is
    /// drawn.
    ///
    /// - Returns: prompt tokens per second.
    /// - Throws: any error of the engine, and `CancellationError`.
    package func prefill(_ count: Int, repetitions: Int) async throws -> Samples {
        let timeline = try model.makeTimeline(capacity: count)
        let logits = LogitRows()
        return try await measure(repetitions, tokens: count) {
            timeline.rewind(to: 0)
        } _: {
            try await timeline.step(TimelineStep(tokens: tokens(at: 0..<count)), into: logits)
        }
    }

    /// Measures decoding: sequences grow by one token at a time, as replies do.
    ///
    /// Each token is the most likely one, and the time to choose it counts. The time to fill the sequences does not.
    ///
    /// - Parameters:
    ///   - count: the number of tokens by which each sequence grows.
    ///   - depth: the number of tokens in each sequence before.
    ///   - sequences: the number of sequences to decode at the same time, each in its own task.
    ///   - repetitions: the number of measurements.
    /// - Returns: tokens per second, in total for all sequences.
    /// - Throws: any error of the engine, and `CancellationError`.
    package func decode(
        _ count: Int, depth: Int, sequences: Int = 1, repetitions: Int
    ) async throws -> Samples {
        let timelines = try (0..<sequences).map { _ in try model.makeTimeline(capacity: depth + count) }
        return try await measure(repetitions, tokens: count * sequences) {
            for timeline in timelines { try await fill(timeline, to: depth) }
        } _: {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for timeline in timelines { group.addTask { try await extend(timeline, by: count) } }
                try await group.waitForAll()
            }
        }
    }

    private func extend(_ timeline: any TokenTimeline, by count: Int) async throws {
        let logits = LogitRows()
        let end = timeline.contents.count
        var token = tokens(at: end..<end + 1)[0]
        for _ in 0..<count {
            try await timeline.step(TimelineStep(tokens: [token]), into: logits)
            token = Sampler.largest(logits[0]) ?? 0
        }
    }

    /// Brings a sequence to exactly `depth` tokens; an engine that cannot rewind to that position runs some tokens
    /// again.
    private func fill(_ timeline: any TokenTimeline, to depth: Int) async throws {
        let reached = timeline.rewind(to: depth)
        guard reached < depth else { return }
        try await timeline.step(TimelineStep(tokens: tokens(at: reached..<depth), positions: .none), into: LogitRows())
    }

    private func measure(
        _ repetitions: Int, tokens: Int, prepare: () async throws -> Void, _ work: () async throws -> Void
    ) async throws -> Samples {
        var speeds: [Double] = []
        for repetition in 0...repetitions {
            try await prepare()
            let start = now()
            try await work()
            let time = start.duration(to: now())
            if repetition > 0 { speeds.append(Double(tokens) / (time / .seconds(1))) }
        }
        return Samples(speeds)
    }

    /// Tokens spread over the vocabulary by the golden ratio (Fibonacci hashing).
    func tokens(at positions: Range<Int>) -> [TokenID] {
        let vocabulary = UInt64(max(model.info.vocabularySize, 1))
        return positions.map { position in
            let scattered = UInt64(truncatingIfNeeded: position) &* 0x9E37_79B9_7F4A_7C15 >> 33
            return TokenID(scattered % vocabulary)
        }
    }
}
