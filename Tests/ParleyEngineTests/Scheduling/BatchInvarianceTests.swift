// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleyTensor
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

/// The bits of a token's logits depend on the tokens before it and on nothing else.
@Suite("Batch invariance")
struct BatchInvarianceTests {
    /// A kind of tiny model.
    struct Variant: Sendable, CustomTestStringConvertible {
        let architecture: TinyArchitecture
        let encoding: TensorEncoding

        var testDescription: String { "\(architecture.name) \(encoding)" }

        var writer: GGUFWriter {
            var model = TinyModel(architecture)
            model.encoding = encoding
            return model.writer()
        }

        static let all = TinyArchitecture.all.flatMap { architecture in
            [TensorEncoding.f32, .f16, .q8_0, .q4_0, .q4_1].map { Variant(architecture: architecture, encoding: $0) }
        }
    }

    /// More than the 256 rows of a step, and not a multiple of anything.
    private static let tokenCount = 281

    @Test("logits do not depend on the chunks of a prompt or on the number of threads", arguments: Variant.all)
    func ignoresChunksAndThreads(variant: Variant) async throws {
        let model = try await NativeModel.load(variant.writer)
        let tokens = randomTokens(Self.tokenCount, vocabulary: model.info.vocabularySize)
        let expected = try await model.logits(of: tokens)
        for chunk in [1, 7, 64] {
            let logits = try await model.logits(of: tokens, chunk: chunk)
            #expect(firstDifference(logits, expected) == nil, "chunks of \(chunk)")
        }
        let parallel = try await NativeModel.load(variant.writer, threads: 2)
        for (chunk, count) in [(1, 40), (3, 40), (7, Self.tokenCount), (512, Self.tokenCount)] {
            let logits = try await parallel.logits(of: Array(tokens.prefix(count)), chunk: chunk)
            let rows = Array(expected.prefix(logits.count))
            #expect(firstDifference(logits, rows) == nil, "chunks of \(chunk) on 2 threads")
        }
    }

    @Test("logits do not depend on other timelines in the batch", arguments: Variant.all)
    func ignoresNeighbours(variant: Variant) async throws {
        let model = try await NativeModel.load(variant.writer)
        let vocabulary = model.info.vocabularySize
        let sequences = (1...8).map { seed in
            // Lengths and chunks differ, so that steps of many shapes occur.
            (tokens: randomTokens(24 * seed, vocabulary: vocabulary, seed: UInt64(seed)), chunk: 1 + 5 * (seed - 1))
        }
        let together = try await withThrowingTaskGroup { group in
            for (index, sequence) in sequences.enumerated() {
                group.addTask { (index, try await model.logits(of: sequence.tokens, chunk: sequence.chunk)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (index, sequence) in sequences.enumerated() {
            let alone = try await model.logits(of: sequence.tokens)
            #expect(firstDifference(together[index] ?? [], alone) == nil, "sequence \(index)")
        }
    }

    @Test("logits do not depend on what a timeline held before it was cut back", arguments: Variant.all)
    func ignoresHistory(variant: Variant) async throws {
        let model = try await NativeModel.load(variant.writer)
        let vocabulary = model.info.vocabularySize
        let tokens = randomTokens(100, vocabulary: vocabulary)
        let expected = try await model.logits(of: tokens)
        let timeline = try model.makeTimeline()
        _ = try await timeline.logits(of: tokens.prefix(70))
        _ = try await timeline.logits(of: randomTokens(90, vocabulary: vocabulary, seed: 2), chunk: 11)
        for position in [70, 69, 33, 0] {
            let reached = timeline.rewind(to: position)
            let logits = try await timeline.logits(of: tokens[reached...])
            let rest = Array(expected.dropFirst(reached * vocabulary))
            #expect(firstDifference(logits, rest) == nil, "from \(position)")
        }
    }

    @Test("logits do not depend on the instruction set", arguments: Variant.all)
    func ignoresInstructionSet(variant: Variant) async throws {
        let reference = try await NativeModel.load(variant.writer, instructionSet: .generic)
        let tokens = randomTokens(80, vocabulary: reference.info.vocabularySize)
        let expected = try await reference.logits(of: tokens)
        for instructionSet in InstructionSet.allCases where instructionSet.isAvailable {
            let model = try await NativeModel.load(variant.writer, instructionSet: instructionSet)
            let logits = try await model.logits(of: tokens)
            #expect(firstDifference(logits, expected) == nil, "\(instructionSet)")
        }
    }

    @Test(
        "batch invariance holds for a real model",
        .enabled(if: References.has(GreedyModel.smolLM2.file), References.hint))
    func realModel() async throws {
        let url = References.url(GreedyModel.smolLM2.file)
        let model = try await NativeModel.load(url, configuration: .init(context: 512, threads: 2))
        let tokens = randomTokens(270, vocabulary: model.info.vocabularySize)
        let expected = try await model.logits(of: tokens)
        // Only the last tokens are run one at a time, because that is slow.
        for (chunk, start) in [(1, 240), (7, 160), (64, 0)] {
            let timeline = try model.makeTimeline()
            try await timeline.step(TimelineStep(tokens: Array(tokens[..<start]), positions: .none), into: LogitRows())
            let logits = try await timeline.logits(of: tokens[start...], chunk: chunk)
            let rest = expected.dropFirst(start * model.info.vocabularySize)
            #expect(firstDifference(logits, Array(rest)) == nil, "chunks of \(chunk)")
        }
        let single = try await NativeModel.load(url, configuration: .init(context: 512, threads: 1))
        async let first = single.logits(of: Array(tokens.prefix(120)), chunk: 16)
        async let second = single.logits(of: Array(tokens.prefix(90)), chunk: 10)
        let vocabulary = model.info.vocabularySize
        let (a, b) = try await (first, second)
        #expect(firstDifference(a, Array(expected.prefix(120 * vocabulary))) == nil)
        #expect(firstDifference(b, Array(expected.prefix(90 * vocabulary))) == nil)
    }
}
