// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Models in libraries that run one sequence at a time")
struct SerialModelTests {
    private let ledger = MemoryLedger { MachineMemory(physical: 1 << 30, available: 1 << 20) }

    private func load(context: Int? = nil) async throws -> SerialModel<SilentSource> {
        try await SerialModel<SilentSource>.load(
            URL(filePath: "/silence"),
            configuration: SerialConfiguration(context: context, threads: 1, ledger: ledger))
    }

    @Test("scratch memory stays promised after loading, until a step of the most tokens has written it")
    func scratch() async throws {
        var model: SerialModel<SilentSource>? = try await load()
        let cache = SilentSource.plan.cache(context: SilentSource.longest).count
        #expect(cache == 1_000 + 512 * 10)
        #expect(ledger.unwrittenBytes == 25_600 + cache)
        var timeline = try model?.makeTimeline(capacity: SilentSource.longest)
        let output = LogitRows()
        for (count, left) in [(64, 19_200), (32, 19_200), (256, 0)] {
            try await timeline?.step(
                TimelineStep(tokens: Array(repeating: 1, count: count), positions: .none), into: output)
            // The rest is the cache's, of which some has been written.
            #expect((left...left + cache).contains(ledger.unwrittenBytes), "\(count)")
        }
        (model, timeline) = (nil, nil)
        // The model's thread lets go of the engine when it has done its last step.
        while ledger.unwrittenBytes != 0 { await Task.yield() }
    }

    @Test("a library that gives fewer logits than were wanted fails the step, and the next one goes on from before it")
    func missingLogits() async throws {
        let timeline = try await load().makeTimeline(capacity: SilentSource.longest)
        let output = LogitRows()
        try await timeline.step(TimelineStep(tokens: [1, 2]), into: output)
        let error = await #expect(throws: RuntimeError.self) {
            try await timeline.step(TimelineStep(tokens: [3, SilentCache.withholding]), into: output)
        }
        #expect(error?.code == .engineFailed)
        #expect(timeline.contents.tokens == [1, 2])
        try await timeline.step(TimelineStep(tokens: [3]), into: output)
        #expect(timeline.contents.tokens == [1, 2, 3])
    }

    @Test("a context longer than what the network can hold becomes that")
    func longest() async throws {
        #expect(try await load(context: 10_000).context == 512)
        #expect(try await load(context: 100).context == 100)
        #expect(try await load().context == 512)
        let error = await #expect(throws: RuntimeError.self) { _ = try await load(context: 0) }
        #expect(error?.code == .invalidInput)
    }
}

/// A network without weights, whose logits are zeros.
private struct SilentSource: SerialSource {
    static let longest = 512
    static let plan = SerialMemoryPlan(
        weights: 100_000, scratch: 25_600, bytesPerSequence: 1_000, bytesPerToken: 10)

    let name = "silence"
    let info = ModelDescription(
        name: "silence", architecture: "silence", vocabularySize: SilentCache.width, trainedContext: longest,
        parameterCount: 0)
    let tokenizer: TokenizerDescription
    let memoryPlan = plan
    let usualContext = longest
    let longestContext: Int? = longest

    static func tokenizer(of url: URL) throws -> TokenizerDescription {
        try GGUFFile(bytes: TinyModel().writer().encoded()[...]).tokenizerDescription()
    }

    init(contentsOf url: URL) throws {
        tokenizer = try Self.tokenizer(of: url)
    }

    func load(threads: Int, progress: @escaping (Double) -> Bool) throws -> (_ capacity: Int) throws -> SilentCache {
        { _ in SilentCache() }
    }
}

/// `@unchecked Sendable`: only the model's thread uses it.
private final class SilentCache: SerialCache, @unchecked Sendable {
    static let width = 100
    /// A step with this token gives no logits.
    static let withholding: TokenID = 99
    private var wanted = 0

    func run(_ tokens: ArraySlice<TokenID>, wanted: Int) throws {
        self.wanted = tokens.contains(Self.withholding) ? 0 : wanted
    }

    func withLogits<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) throws -> Result {
        try Array(repeating: Float(0), count: wanted * Self.width).withUnsafeBufferPointer(body)
    }

    func rewind(to position: Int) throws {}
    func interrupt() {}
    func resume() throws {}
}
