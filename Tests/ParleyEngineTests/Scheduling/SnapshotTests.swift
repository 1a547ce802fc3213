// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleyTensor
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Snapshots of timelines")
struct SnapshotTests {
    private struct Failure: Error {}

    private func timeline(
        _ model: NativeModel, capacity: Int = 500, reading tokens: [TokenID] = []
    ) async throws -> any SnapshotTimeline {
        let timeline = try #require(try model.makeTimeline(capacity: capacity) as? any SnapshotTimeline)
        try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: LogitRows())
        return timeline
    }

    private func snapshot(of timeline: any SnapshotTimeline, count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try timeline.writeSnapshot(of: count) { bytes.append(contentsOf: $0) }
        #expect(bytes.count == timeline.snapshotByteCount(of: count))
        return bytes
    }

    private func restore(_ timeline: any SnapshotTimeline, _ tokens: [TokenID], _ bytes: [UInt8]) throws {
        var rest = bytes[...]
        try timeline.readSnapshot(of: tokens) { piece in
            guard rest.count >= piece.count else { throw Failure() }
            piece.copyBytes(from: rest.prefix(piece.count))
            rest = rest.dropFirst(piece.count)
        }
        #expect(rest.isEmpty)
    }

    @Test(
        "After a snapshot has been read, all logits are those of a timeline that has read the tokens, to the bit",
        arguments: TinyArchitecture.all)
    func restores(architecture: TinyArchitecture) async throws {
        let writer = TinyModel(architecture).writer()
        let (one, other) = (try await NativeModel.load(writer), try await NativeModel.load(writer))
        let tokens = randomTokens(400, vocabulary: one.info.vocabularySize)
        let bytes = try snapshot(of: try await timeline(one, reading: Array(tokens.prefix(300))), count: 288)
        let expected = try await one.logits(of: tokens)
        // The capacity decides where the positions lie in memory.
        for capacity in [400, 512] {
            let restored = try await timeline(other, capacity: capacity, reading: randomTokens(70, vocabulary: 200))
            try restore(restored, Array(tokens.prefix(288)), bytes)
            #expect(restored.contents.tokens == Array(tokens.prefix(288)))
            for start in [288, 200, 64, 0] {
                let reached = restored.rewind(to: start)
                #expect(reached == (restored.rewindsExactly ? start : start / 32 * 32))
                let logits = try await restored.logits(of: tokens[reached...])
                let wanted = Array(expected.dropFirst(reached * one.info.vocabularySize))
                #expect(firstDifference(logits, wanted) == nil, "from \(reached) in \(capacity)")
            }
        }
    }

    @Test(
        "A snapshot that breaks off leaves an empty timeline, which then works",
        arguments: [TinyArchitecture.llama, .lfm2])
    func failure(architecture: TinyArchitecture) async throws {
        let model = try await NativeModel.load(TinyModel(architecture).writer())
        let tokens = randomTokens(128, vocabulary: model.info.vocabularySize)
        let bytes = try snapshot(of: try await timeline(model, reading: tokens), count: 128)
        let broken = try await timeline(model, reading: tokens)
        #expect(throws: Failure.self) { try restore(broken, tokens, bytes.dropLast()) }
        #expect(broken.contents.isEmpty)
        let expected = try await model.logits(of: tokens)
        #expect(firstDifference(try await broken.logits(of: tokens), expected) == nil)
    }

    @Test("Snapshots are of whole intervals that the timeline holds, and of tokens that the model knows")
    func refusals() async throws {
        let model = try await NativeModel.load(TinyModel().writer())
        let timeline = try await timeline(model, capacity: 100, reading: randomTokens(70, vocabulary: 200))
        #expect(timeline.snapshotInterval == 32)
        for count in [-32, 0, 1, 70, 96, 128] {
            await expect(code: .invalidInput) { _ = try snapshot(of: timeline, count: count) }
        }
        for tokens in [[], [1], Array(repeating: 1, count: 128), Array(repeating: TokenID.max, count: 32)] {
            await expect(code: .invalidInput) { try timeline.readSnapshot(of: tokens) { _ in } }
        }
    }

    @Test("The format of snapshots tells instruction sets and layouts apart")
    func formats() async throws {
        var formats: Set<String> = []
        var wide = TinyModel()
        wide.keyValueHeads = 4
        for model in [TinyModel(), TinyModel(.lfm2), wide] {
            for set in InstructionSet.allCases where set.isAvailable {
                let model = try await NativeModel.load(model.writer(), instructionSet: set)
                formats.insert(try await timeline(model).snapshotFormat)
            }
        }
        #expect(formats.count == 3 * InstructionSet.allCases.filter(\.isAvailable).count)
    }
}
