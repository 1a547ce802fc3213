// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Keys and values in 8 bits")
struct CacheTypeTests {
    private func load(
        _ architecture: TinyArchitecture, _ type: CacheType = .q8_0, threads: Int = 1
    ) async throws -> NativeModel {
        try await NativeModel.load(TinyModel(architecture).writer(), threads: threads, cacheType: type)
    }

    @Test("logits are near those of the usual cache, and are others", arguments: TinyArchitecture.all)
    func isNear(architecture: TinyArchitecture) async throws {
        let (usual, small) = (try await load(architecture, .f16), try await load(architecture))
        let tokens = randomTokens(281, vocabulary: usual.info.vocabularySize)
        let (expected, found) = (try await usual.logits(of: tokens), try await small.logits(of: tokens))
        #expect(found != expected)
        let divergence = meanDivergence(exact: expected, other: found, columns: usual.info.vocabularySize)
        // Which of two nearly equal experts is chosen is decided by rounding, and changes much.
        // Where scores are not scaled, one position often has most of the attention.
        let hasExperts = ["moe", "gpt-oss", "gemma3n", "gemma4"].contains { architecture.name.hasSuffix($0) }
        #expect(divergence < (hasExperts ? 5e-3 : 2e-4))
    }

    @Test("logits do not depend on chunks or threads", arguments: TinyArchitecture.all)
    func ignoresChunksAndThreads(architecture: TinyArchitecture) async throws {
        let model = try await load(architecture)
        let tokens = randomTokens(281, vocabulary: model.info.vocabularySize)
        let expected = try await model.logits(of: tokens)
        for chunk in [7, 64] {
            #expect(firstDifference(try await model.logits(of: tokens, chunk: chunk), expected) == nil)
        }
        let parallel = try await load(architecture, threads: 2)
        let few = try await parallel.logits(of: Array(tokens.prefix(40)), chunk: 1)
        #expect(firstDifference(few, Array(expected.prefix(few.count))) == nil)
        #expect(firstDifference(try await parallel.logits(of: tokens), expected) == nil)
    }

    @Test("a snapshot is restored to the bit, and is of another format", arguments: [TinyArchitecture.llama, .lfm2])
    func restores(architecture: TinyArchitecture) async throws {
        let model = try await load(architecture)
        let tokens = randomTokens(120, vocabulary: model.info.vocabularySize)
        let expected = try await model.logits(of: tokens)
        let timeline = try #require(try model.makeTimeline(capacity: 200) as? any SnapshotTimeline)
        try await timeline.step(TimelineStep(tokens: Array(tokens.prefix(100)), positions: .none), into: LogitRows())
        var bytes: [UInt8] = []
        try timeline.writeSnapshot(of: 96) { bytes.append(contentsOf: $0) }
        let restored = try #require(try model.makeTimeline(capacity: 300) as? any SnapshotTimeline)
        var rest = bytes[...]
        try restored.readSnapshot(of: Array(tokens.prefix(96))) { piece in
            piece.copyBytes(from: rest.prefix(piece.count))
            rest = rest.dropFirst(piece.count)
        }
        let reached = restored.contents.count
        let logits = try await restored.logits(of: tokens[reached...])
        let wanted = Array(expected.dropFirst(reached * model.info.vocabularySize))
        #expect(firstDifference(logits, wanted) == nil)
        let usual = try await load(architecture, .f16)
        let other = try #require(try usual.makeTimeline(capacity: 200) as? any SnapshotTimeline)
        #expect(other.snapshotFormat != restored.snapshotFormat)
        #expect(restored.snapshotByteCount(of: 96) < other.snapshotByteCount(of: 96))
    }

    @Test("the plan of the memory counts about half for keys and values")
    func isPlanned() async throws {
        let file = try GGUFFile(bytes: TinyModel(.llama).writer().encoded()[...])
        let (usual, small) = (try MemoryPlan(file), try MemoryPlan(file, cacheType: .q8_0))
        // The heads are of 16 values, so that a scale counts for 16 instead of 32.
        #expect(small.cache(context: 4_096).count * 32 == usual.cache(context: 4_096).count * 18)
        #expect(small.total(context: 0) == usual.total(context: 0))
        let model = try await load(.llama)
        #expect(model.cacheBytesPerToken == small.cacheBytesPerToken)
    }

    @Test("types have the names that options take")
    func names() {
        #expect(CacheType.allCases.map(\.rawValue) == ["f16", "q8_0"])
        #expect(CacheType(rawValue: "q8_0") == .q8_0)
        #expect(CacheType(rawValue: "q4_0") == nil)
    }
}
