// SPDX-License-Identifier: Apache-2.0

#if MLX
    import Foundation
    import ParleyEngineCases
    import ParleyMLX
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    /// Each test runs in a process of its own, where nothing else takes memory meanwhile.
    @Suite(
        "Loading and unloading in MLX", .serialized,
        .enabled(if: ProcessMemory.current != nil, "the system tells no memory"),
        .enabled(if: MLXFixture.hasLibrary, MLXFixture.libraryHint))
    struct LoadingCycleTests {
        @Test("200 tiny models that are loaded, used and freed leave neither memory nor threads")
        func tiny() async throws {
            await #expect(processExitsWith: .success) {
                try await withTemporaryDirectory { directory in
                    var tiny = TinyModel()
                    tiny.tokenizer = .bytePairs
                    try tiny.writeFolder(to: directory)
                    try await expectNothingLeft(growth: 8 << 20) {
                        try await MLXModel.load(directory, configuration: .init(context: 128))
                    }
                }
            }
        }

        @Test(
            "the default model in groups of 4 bits, loaded, used and freed 40 times, leaves no memory",
            .enabled(if: References.has(MLXFixture.grouped[0]), MLXFixture.hint))
        func defaultModel() async throws {
            await #expect(processExitsWith: .success) {
                // A tenth of the model.
                try await expectNothingLeft(over: 40, growth: 8 << 20) {
                    try await MLXModel.load(
                        References.url(MLXFixture.grouped[0]), configuration: .init(context: 128))
                }
            }
        }
    }
#endif
