// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import Foundation
import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

/// Each test runs in a process of its own, where nothing else allocates meanwhile.
@Suite("Allocations", .enabled(if: parley_allocations_counted(), "allocations are counted on Linux with glibc only"))
struct AllocationTests {
    @Test("sampling a token allocates nothing, whatever the options")
    func decoding() async {
        await #expect(processExitsWith: .success) {
            let every = SamplingOptions(
                temperature: 0.8, topK: 40, topP: 0.9, minP: 0.02, repetitionPenalty: 1.1, seed: 1)
            let topPOfAll = SamplingOptions(
                temperature: 1, topK: 0, topP: 0.9, minP: 0, repetitionPenalty: 1, seed: 1)
            let unfiltered = SamplingOptions(
                temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, seed: 1)
            for (name, sampling) in [
                ("greedy", SamplingOptions.greedy), ("every", every), ("top-p", topPOfAll), ("none", unfiltered),
            ] {
                for (drafts, isConstrained) in [(false, false), (true, false), (true, true)] {
                    let count = try await allocations(of: sampling, drafts: drafts, isConstrained: isConstrained)
                    let setting = "\(name), drafts: \(drafts), constrained: \(isConstrained)"
                    #expect(count == 0, "\(setting): \(count) from \(places(count))")
                }
            }
        }
    }

    @Test("the allocation counter counts allocations")
    func counts() async {
        await #expect(processExitsWith: .success) {
            parley_allocations_begin()
            let rows = LogitRows()
            try rows.resize(count: 1, vocabularySize: 100)
            withExtendedLifetime(rows) {}
            let count = parley_allocations_end()
            #expect(count >= 1, "\(count)")
        }
    }
}

/// The number of allocations for 100 tokens once buffers have reached their final size. The longest draft may let them
/// grow late, so this is the minimum of four runs. The task runs where replies of the model do.
private func allocations(
    of sampling: SamplingOptions, drafts: Bool, isConstrained: Bool
) async throws -> Int {
    var tiny = TinyModel(.llama)
    tiny.context = 1_024
    let model = try await NativeModel.load(tiny.writer(), context: tiny.context, threads: 2)
    let phrase = randomTokens(20, vocabulary: model.info.vocabularySize)
    return try await withTaskExecutorPreference(model.executor) {
        var generation = try Generation(
            of: ModelInput(phrase + phrase), on: try model.makeTimeline(), model: model, sampling: sampling,
            stop: .init(ignoresEndOfGeneration: true), drafts: drafts)
        try await generation.readPrompt()
        var constraint = EvenTokens(isConstrained: isConstrained)
        var least = Int.max
        for _ in 0..<4 where least > 0 {
            parley_allocations_begin()
            for _ in 0..<100 { _ = try await generation.next(under: &constraint) }
            least = min(least, parley_allocations_end())
        }
        return least
    }
}

/// The path of a report on where the counted allocations come from; empty if there were none.
private func places(_ count: Int) -> String {
    guard count > 0 else { return "" }
    let path = URL.temporary().path
    parley_allocations_report(path)
    return path
}

/// Allows every other token where it restricts anything.
private struct EvenTokens: TokenConstraint {
    let isConstrained: Bool

    func allow(into mask: inout TokenMask) -> Bool {
        guard isConstrained else { return false }
        for token in stride(from: 0, to: TokenID(mask.vocabularySize), by: 2) { mask[token] = true }
        return true
    }
}
