// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import ParleyONNX
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    /// Each test runs in a process of its own, where nothing else takes memory meanwhile.
    @Suite(
        "Loading and unloading in ONNX Runtime", .serialized,
        .enabled(if: ownMemory() != nil, "the system tells no memory"),
        .enabled(if: ONNXFixture.hasLibrary, ONNXFixture.libraryHint))
    struct LoadingCycleTests {
        @Test("200 tiny models that are loaded, used and freed leave neither memory nor threads")
        func tiny() async throws {
            await #expect(processExitsWith: .success) {
                try await withTemporaryDirectory { directory in
                    var tiny = TinyModel()
                    tiny.tokenizer = .bytePairs
                    try tiny.writeONNXFolder(to: directory)
                    try await loadAndFree(directory)
                    let threads = try #require(threadCountOfProcess())
                    let growth = try await memoryGrowth(over: 200) { try await loadAndFree(directory) }
                    #expect(try #require(growth) < 8 << 20)
                    #expect(try #require(threadCountOfProcess()) <= threads + 2)
                }
            }
        }

        @Test(
            "the default model in 4 bits, loaded, used and freed 40 times, leaves no memory",
            .enabled(if: References.has(ONNXFixture.pruned), ONNXFixture.hint))
        func defaultModel() async throws {
            await #expect(processExitsWith: .success) {
                let growth = try await memoryGrowth(over: 40) {
                    try await loadAndFree(References.url(ONNXFixture.pruned))
                }
                // A fifth of the model.
                #expect(try #require(growth) < 16 << 20)
            }
        }
    }

    /// Loads a model, runs a few tokens through it, and waits until it is freed.
    private func loadAndFree(_ url: URL) async throws {
        func use() async throws -> ModelLifetime? {
            let model = try await ONNXModel.load(url, configuration: .init(context: 128, threads: 1))
            let timeline = try model.makeTimeline(capacity: 64)
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
            return model.lifetime
        }
        let lifetime = try #require(try await use())
        while !lifetime.isEnding { await Task.yield() }
        await lifetime.waitUntilFreed()
    }
#endif
