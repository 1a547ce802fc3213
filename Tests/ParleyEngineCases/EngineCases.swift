// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
import ParleyTestSupport
package import ParleyTokenizer
package import Testing

// What must hold of every engine that computes logits from tokens. Differences are absolute; those of the logits of one
// network in two ways of computing are by rounding alone.

extension TokenModel {
    /// The logits of all positions, one row each, which are read in two steps of many tokens and one of a single one.
    package func logitRows(of tokens: [TokenID]) async throws -> [[Float]] {
        let timeline = try makeTimeline(capacity: tokens.count)
        let (first, second) = (tokens.count * 2 / 5, tokens.count * 2 / 5 + 1)
        var rows: [[Float]] = []
        for part in [tokens[..<first], tokens[first..<second], tokens[second...]] {
            let output = LogitRows()
            try await timeline.step(TimelineStep(tokens: Array(part), positions: .all), into: output)
            rows += (0..<output.count).map { Array(output[$0]) }
        }
        return rows
    }

    /// The most probable tokens of a reply in the form of ChatML, up to its end.
    package func reply(to question: String, count: Int = 24) async throws -> [TokenID] {
        let prompt = tokenizer.encode(
            "<|im_start|>user\n\(question)<|im_end|>\n<|im_start|>assistant\n", specialTokens: .parsed)
        let timeline = try makeTimeline(capacity: prompt.count + count)
        var (next, reply): ([TokenID], [TokenID]) = (prompt, [])
        let output = LogitRows()
        while reply.count < count {
            try await timeline.step(TimelineStep(tokens: next), into: output)
            let best = TokenID(try #require(output[0].indices.max { output[0][$0] < output[0][$1] }))
            if tokenizer.endOfGeneration.contains(best) { break }
            reply.append(best)
            next = [best]
        }
        return reply
    }
}

extension TokenTimeline {
    /// Appends tokens some at a time and returns the logits of every position, one row after the other.
    package func logits(of tokens: some Collection<TokenID> & Sendable, chunk: Int = 512) async throws -> [Float] {
        var all: [Float] = []
        let output = LogitRows()
        var rest = Array(tokens)[...]
        while !rest.isEmpty {
            try await step(TimelineStep(tokens: Array(rest.prefix(chunk)), positions: .all), into: output)
            for row in 0..<output.count { all += output[row] }
            rest = rest.dropFirst(chunk)
        }
        return all
    }
}

/// Random tokens, the same in every run.
package func randomTokens(_ count: Int, vocabulary: Int, seed: UInt64 = 1) -> [TokenID] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in TokenID(Int.random(in: 0..<vocabulary, using: &random)) }
}

/// The largest absolute difference; infinite if one of the numbers is NaN.
package func largestDifference(_ a: some Sequence<Float>, _ b: some Sequence<Float>) -> Float {
    zip(a, b).reduce(0) { worst, pair in
        let difference = abs(pair.0 - pair.1)
        return difference.isNaN ? .infinity : max(worst, difference)
    }
}

/// Expects a `RuntimeError` of this code and returns it.
@discardableResult
package func expect(
    code: RuntimeError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> RuntimeError? {
    do {
        try await body()
        Issue.record("threw nothing", sourceLocation: sourceLocation)
    } catch let error as RuntimeError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("threw \(error)", sourceLocation: sourceLocation)
    }
    return nil
}

/// Two models give the same logits within a hundredth of the largest one.
package func expectSameLogits(
    _ model: any TokenModel, as reference: any TokenModel, of tokens: [TokenID],
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let (expected, found) = try await (reference.logitRows(of: tokens), model.logitRows(of: tokens))
    #expect(found.count == tokens.count && expected.count == tokens.count, sourceLocation: sourceLocation)
    let largest = expected.joined().map(abs).max() ?? 0
    for (row, pair) in zip(expected, found).enumerated() {
        #expect(pair.0.count == pair.1.count, sourceLocation: sourceLocation)
        #expect(largestDifference(pair.0, pair.1) < 0.01 * largest, "row \(row)", sourceLocation: sourceLocation)
    }
}

/// A default model says what the capital of France is.
package func expectParis(
    _ model: any TokenModel, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let reply = try await model.reply(to: "What is the capital of France?")
    #expect(model.tokenizer.decode(reply) == "The capital of France is Paris.", sourceLocation: sourceLocation)
}

/// The logits of all positions are those of steps of one token.
package func expectSameLogitsOneByOne(
    _ model: any TokenModel, of tokens: [TokenID], within tolerance: Float = 1e-3,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let (whole, single) = (LogitRows(), LogitRows())
    let first = try model.makeTimeline(capacity: tokens.count)
    try await first.step(TimelineStep(tokens: tokens, positions: .all), into: whole)
    #expect(whole.count == tokens.count, sourceLocation: sourceLocation)
    let second = try model.makeTimeline(capacity: tokens.count)
    for (row, token) in tokens.enumerated() {
        try await second.step(TimelineStep(tokens: [token]), into: single)
        #expect(largestDifference(whole[row], single[0]) <= tolerance, "row \(row)", sourceLocation: sourceLocation)
    }
}

/// Rewound to its fifth token and read again, beside another one, a sequence has the same logits.
package func expectRewinding(
    _ model: any TokenModel, of tokens: [TokenID], within tolerance: Float = 1e-4,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let (before, after) = (LogitRows(), LogitRows())
    let timeline = try model.makeTimeline(capacity: tokens.count)
    try await timeline.step(TimelineStep(tokens: tokens), into: before)
    let other = try model.makeTimeline(capacity: 12)
    try await other.step(TimelineStep(tokens: tokens.suffix(12).reversed()), into: after)
    #expect(timeline.rewind(to: 5) == 5, sourceLocation: sourceLocation)
    try await timeline.step(TimelineStep(tokens: Array(tokens[5...])), into: after)
    #expect(largestDifference(before[0], after[0]) <= tolerance, sourceLocation: sourceLocation)
    #expect(timeline.contents.tokens == tokens, sourceLocation: sourceLocation)
}

/// A cancelled step leaves what was there, and the sequence goes on with the same logits.
///
/// The model has a context of 2,048 tokens; a step of 1,500 is several for it, so that it can be cancelled between them.
package func expectCancelling(
    _ model: some SteppedModel, of tokens: [TokenID], sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let (expected, again) = (LogitRows(), LogitRows())
    try await model.makeTimeline(capacity: 2_048).step(TimelineStep(tokens: tokens), into: expected)
    let timeline = try model.makeTimeline(capacity: 2_048)
    try await timeline.step(TimelineStep(tokens: Array(tokens[..<5])), into: LogitRows())
    let steps = model.stepFigures.steps
    let long = (0..<1_500).map { tokens[$0 % tokens.count] }
    // On the model's own thread: between two steps it is free, other threads perhaps only after the last one.
    let step = await withTaskExecutorPreference(model.executor) {
        let step = Task(executorPreference: model.executor) {
            try await timeline.step(TimelineStep(tokens: long), into: LogitRows())
        }
        while model.stepFigures.steps == steps, !Task.isCancelled { await Task.yield() }
        step.cancel()
        return step
    }
    await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { try await step.value }
    #expect(timeline.rewind(to: 5) == 5, sourceLocation: sourceLocation)
    try await timeline.step(TimelineStep(tokens: Array(tokens[5...])), into: again)
    #expect(largestDifference(expected[0], again[0]) < 1e-3, sourceLocation: sourceLocation)
}

/// Models that are loaded, used and freed again and again leave neither memory nor threads; call it in a process of its
/// own. It may grow by so many bytes.
package func expectNothingLeft(
    over rounds: Int = 200, growth most: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ load: () async throws -> any TokenModel
) async throws {
    func loadUseAndFree() async throws {
        func use() async throws -> ModelLifetime? {
            let model = try await load()
            let timeline = try model.makeTimeline(capacity: 64)
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
            return model.lifetime
        }
        let lifetime = try #require(try await use(), sourceLocation: sourceLocation)
        while !lifetime.isEnding { await Task.yield() }
        await lifetime.waitUntilFreed()
    }
    try await loadUseAndFree()
    let threads = try #require(threadCountOfProcess(), sourceLocation: sourceLocation)
    let growth = try await memoryGrowth(over: rounds, loadUseAndFree)
    #expect(try #require(growth) < most, sourceLocation: sourceLocation)
    #expect(try #require(threadCountOfProcess()) <= threads + 2, sourceLocation: sourceLocation)
}
