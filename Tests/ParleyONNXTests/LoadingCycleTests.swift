// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import ParleyEngineCases
    import ParleyONNX
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    /// Each test runs in a process of its own, where nothing else takes memory meanwhile.
    @Suite(
        "Loading and unloading in ONNX Runtime", .serialized,
        .enabled(if: ProcessMemory.current != nil, "the system tells no memory"),
        .enabled(if: ONNXFixture.hasLibrary, ONNXFixture.libraryHint))
    struct LoadingCycleTests {
        @Test("200 tiny models that are loaded, used and freed leave neither memory nor threads")
        func tiny() async throws {
            await #expect(processExitsWith: .success) {
                try await withTemporaryDirectory { directory in
                    var tiny = TinyModel()
                    tiny.tokenizer = .bytePairs
                    try tiny.writeONNXFolder(to: directory)
                    try await expectNothingLeft(growth: 8 << 20) {
                        try await ONNXModel.load(directory, configuration: .init(context: 128, threads: 1))
                    }
                }
            }
        }

        @Test(
            "the default model in 4 bits, loaded, used and freed 40 times, leaves no memory",
            .enabled(if: References.has(ONNXFixture.pruned), ONNXFixture.hint))
        func defaultModel() async throws {
            await #expect(processExitsWith: .success) {
                // A fifth of the model.
                try await expectNothingLeft(over: 40, growth: 16 << 20) {
                    try await ONNXModel.load(
                        References.url(ONNXFixture.pruned), configuration: .init(context: 128, threads: 1))
                }
            }
        }
    }
#endif
