// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Prefixes of other timelines", .timeLimit(.minutes(15)))
struct AdoptionTests {
    /// 192 KiB for each position, so that 16 MiB are 85 of them.
    private var wide: TinyModel {
        var tiny = TinyModel(.qwen3)
        (tiny.heads, tiny.keyValueHeads, tiny.headDim, tiny.layers) = (16, 16, 256, 12)
        return tiny
    }

    private func timeline(
        _ model: NativeModel, capacity: Int = 500, reading tokens: [TokenID] = []
    ) async throws -> any TokenTimeline {
        let timeline = try model.makeTimeline(capacity: capacity)
        try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: LogitRows())
        return timeline
    }

    @Test(
        "After a prefix has been adopted, all logits are those of a timeline that has read the tokens, to the bit",
        arguments: TinyArchitecture.all)
    func copies(architecture: TinyArchitecture) async throws {
        let model = try await NativeModel.load(TinyModel(architecture).writer())
        let vocabulary = model.info.vocabularySize
        let tokens = randomTokens(400, vocabulary: vocabulary)
        let expected = try await model.logits(of: tokens)
        let others = randomTokens(80, vocabulary: vocabulary, seed: 2)
        let donor = try await timeline(model, capacity: 450, reading: Array(tokens.prefix(301)) + others)
        // What is held before: nothing, a part of the prefix, and something else.
        let earlier = [[], tokens.prefix(37) + others, Array(tokens.prefix(45)), others]
        #expect(model.adoptsPrefixes)
        for (capacity, earlier) in zip([400, 500, 430, 512], earlier) {
            let own = try await timeline(model, capacity: capacity, reading: earlier)
            let reached = try await own.adopt(prefix: ModelInput(tokens), of: donor)
            #expect(reached == (own.rewindsExactly ? 301 : 288))
            #expect(own.contents.tokens == Array(tokens.prefix(reached)))
            let logits = try await own.logits(of: tokens[reached...])
            #expect(firstDifference(logits, Array(expected.dropFirst(reached * vocabulary))) == nil)
            // Positions of the copy can be cut, and others read in their place.
            for start in [200, 0] {
                let reached = own.rewind(to: start)
                let logits = try await own.logits(of: tokens[reached...])
                #expect(firstDifference(logits, Array(expected.dropFirst(reached * vocabulary))) == nil)
            }
        }
        #expect(donor.contents.tokens == Array(tokens.prefix(301)) + others)
    }

    @Test("Only what both have in common is adopted, and only from timelines of the same model")
    func limits() async throws {
        let model = try await NativeModel.load(TinyModel().writer())
        let other = try await NativeModel.load(TinyModel().writer())
        let tokens = randomTokens(100, vocabulary: 200)
        let foreign = try await timeline(other, reading: tokens)
        let own = try await timeline(model, capacity: 60, reading: Array(tokens.prefix(10)) + [1])
        #expect(try await own.adopt(prefix: ModelInput(tokens), of: foreign) == 10)
        #expect(try await own.adopt(prefix: ModelInput(tokens), of: own) == 10)
        let shorter = try await timeline(model, reading: Array(tokens.prefix(5)))
        #expect(try await own.adopt(prefix: ModelInput(tokens), of: shorter) == 10)
        let donor = try await timeline(model, reading: tokens)
        #expect(try await own.adopt(prefix: ModelInput(Array(tokens.prefix(30))), of: donor) == 30)
        #expect(try await own.adopt(prefix: ModelInput(tokens), of: donor) == 60, "the capacity is 60")
        #expect(try await own.adopt(prefix: [], of: donor) == 0)
        var withImage = ModelInput(Array(tokens.prefix(20)))
        withImage.append(.embedding(InputEmbedding(identity: [1], count: 4, payload: "image")))
        withImage.append([7])
        #expect(try await own.adopt(prefix: withImage, of: donor) == 20)
    }

    @Test("A timeline that runs gives what it has read, and reads on with the same logits")
    func running() async throws {
        let model = try await NativeModel.load(wide.writer())
        let vocabulary = model.info.vocabularySize
        let tokens = randomTokens(200, vocabulary: vocabulary)
        let donor = try model.makeTimeline()
        let (began, continuation) = AsyncStream<Void>.makeStream()
        async let rows = {
            let output = LogitRows()
            for start in stride(from: 0, to: 192, by: 8) {
                try await donor.step(
                    TimelineStep(tokens: Array(tokens[start..<start + 8]), positions: .none), into: output)
                continuation.yield()
            }
            try await donor.step(TimelineStep(tokens: Array(tokens[192...])), into: output)
            return Array(output[0])
        }()
        for await _ in began { break }
        let own = try model.makeTimeline(capacity: 240)
        let reached = try await own.adopt(prefix: ModelInput(tokens), of: donor)
        #expect(reached >= 8)
        let last = try await own.logits(of: tokens[min(reached, 199)...])
        let given = try await rows
        #expect(reached == 200 || firstDifference(Array(last.suffix(vocabulary)), given) == nil)
        #expect(firstDifference(Array(try await model.logits(of: tokens).suffix(vocabulary)), given) == nil)
    }

    @Test("A donor that is rewound, a copy that is cancelled: what was copied until then is right")
    func interrupted() async throws {
        let model = try await NativeModel.load(wide.writer())
        let vocabulary = model.info.vocabularySize
        let tokens = randomTokens(280, vocabulary: vocabulary)
        let others = randomTokens(200, vocabulary: vocabulary, seed: 3)
        let donor = try await timeline(model, reading: tokens)
        let expected = try await model.logits(of: tokens).suffix(10 * vocabulary)
        var counts: Set<Int> = []
        for number in 0..<8 {
            let own = try model.makeTimeline(capacity: 300)
            let copy = Task { try await own.adopt(prefix: ModelInput(tokens), of: donor) }
            for _ in 0..<number * 30 { await Task.yield() }
            if number.isMultiple(of: 2) {
                copy.cancel()
            } else {
                donor.rewind(to: 100)
                try await donor.step(TimelineStep(tokens: others, positions: .none), into: LogitRows())
            }
            if case .success(let reached) = await copy.result { #expect(reached == own.contents.count) }
            let held = own.contents
            counts.insert(held.count)
            #expect(held.commonPrefix(with: ModelInput(tokens)) == held.count)
            own.rewind(to: 270)
            try await own.step(
                TimelineStep(tokens: Array(tokens[own.contents.count..<270]), positions: .none), into: LogitRows())
            let logits = try await own.logits(of: tokens.suffix(10))
            #expect(firstDifference(logits, Array(expected)) == nil, "\(held.count) positions were copied")
            donor.rewind(to: 100)
            try await donor.step(TimelineStep(tokens: Array(tokens[100...]), positions: .none), into: LogitRows())
        }
        #expect(counts.count > 1, "nothing was interrupted: \(counts)")
    }

    @Test("A copy that is cancelled before it begins, and one whose donor is released, end")
    func released() async throws {
        let model = try await NativeModel.load(wide.writer())
        let tokens = randomTokens(200, vocabulary: 200)
        let own = try model.makeTimeline()
        var donor: (any TokenTimeline)? = try await timeline(model, reading: tokens)
        let cancelled = Task { [donor] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await own.adopt(prefix: ModelInput(tokens), of: donor ?? own)
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(own.contents.isEmpty)
        let copy = Task { [donor] in try await own.adopt(prefix: ModelInput(tokens), of: donor ?? own) }
        donor = nil
        #expect(try await copy.value == 200)
    }
}
