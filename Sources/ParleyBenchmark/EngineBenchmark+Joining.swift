// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Synchronization

extension EngineBenchmark {
    /// Measures how long a reply waits for its tokens while a prompt of `count` tokens is processed at the same time.
    ///
    /// - Throws: any error of the engine, and `CancellationError`.
    package func joining(_ count: Int, repetitions: Int) async throws -> JoiningResult {
        let reply = try model.makeTimeline(capacity: Self.longestReplyBeside)
        let prompt = try model.makeTimeline(capacity: count + 1)
        var (usual, longest, reading): ([Double], [Double], [Double]) = ([], [], [])
        for repetition in 0...repetitions {
            reply.rewind(to: 0)
            prompt.rewind(to: 0)
            let hasRead = Atomic<Bool>(false)
            async let seconds = read(count, on: prompt) { hasRead.store(true, ordering: .relaxed) }
            let waits = try await waits(of: reply) { hasRead.load(ordering: .relaxed) }
            let time = try await seconds
            guard repetition > 0 else { continue }
            let samples = Samples(waits)
            usual.append(samples.median)
            longest.append(samples.most)
            reading.append(time)
        }
        return JoiningResult(usualWait: Samples(usual), longestWait: Samples(longest), reading: Samples(reading))
    }

    /// The maximum length of the sequence of the reply, in tokens.
    static let longestReplyBeside = 2_048

    private func read(
        _ count: Int, on timeline: any TokenTimeline, whenDone: @Sendable () -> Void
    ) async throws -> Double {
        defer { whenDone() }
        let tokens = tokens(at: 0..<count)
        let start = now()
        var generation = try Generation(
            of: ModelInput(tokens), on: timeline, model: model, sampling: .greedy, drafts: false)
        try await generation.readPrompt()
        return start.duration(to: now()) / .seconds(1)
    }

    /// The seconds between the tokens of a reply, until `isDone` returns true.
    private func waits(of timeline: any TokenTimeline, until isDone: () -> Bool) async throws -> [Double] {
        var generation = try Generation(
            of: [1, 2, 3], on: timeline, model: model, sampling: .greedy, stop: .init(ignoresEndOfGeneration: true),
            drafts: false)
        try await generation.readPrompt()
        var waits: [Double] = []
        var last = now()
        while try await generation.next() != nil {
            let time = now()
            waits.append(last.duration(to: time) / .seconds(1))
            last = time
            if isDone() { generation.stop() }
        }
        return waits
    }
}

/// The mutual delay of a reply and a prompt, in seconds.
package struct JoiningResult: Sendable {
    /// The median time between two tokens of the reply.
    package var usualWait: Samples
    /// The longest time between two tokens of the reply.
    package var longestWait: Samples
    /// The time that processing the prompt took.
    package var reading: Samples
}
