// SPDX-License-Identifier: Apache-2.0

#if MLX
    import Foundation
    import ParleyEngine
    import ParleyEngineCases
    import ParleyMLX
    import ParleyModelFile
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import ParleyTokenizer
    import Testing

    @Suite(
        "Tiny random models in MLX", .serialized, .enabled(if: MLXFixture.hasLibrary, MLXFixture.libraryHint))
    struct TinyModelTests {
        private static let architectures: [TinyArchitecture] = [.llama, .qwen2, .qwen3, .gemma3, .phi3]
        private let tokens: [TokenID] = (0..<48).map { ($0 * 7 + 3) % 40 }

        private func tiny(_ architecture: TinyArchitecture = .llama) -> TinyModel {
            var model = TinyModel(architecture)
            model.tokenizer = .bytePairs
            return model
        }

        @Test("logits are those of the native engine, within rounding", arguments: architectures.map(\.name))
        func agreesWithNative(name: String) async throws {
            let tiny = tiny(try #require(Self.architectures.first { $0.name == name }))
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            try tiny.writeFolder(to: directory.url)
            let native = try await NativeModel.load(
                directory.url, configuration: EngineConfiguration(context: 64, threads: 1))
            let model = try await MLXModel.load(directory.url, configuration: .init(context: 64))
            #expect(model.info.architecture == name)
            #expect(model.info.parameterCount == native.info.parameterCount)
            try await expectSameLogits(model, as: native, of: tokens)
        }

        @Test("weights in groups of 4 bits are the floats that they stand for")
        func readsGroups() async throws {
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let (grouped, exact) = (directory.url.appending(path: "grouped"), directory.url.appending(path: "exact"))
            try tiny().writeGroupedFolder(to: grouped, exact: exact)
            let floats = try await MLXModel.load(exact, configuration: .init(context: 64))
            let groups = try await MLXModel.load(grouped, configuration: .init(context: 64))
            #expect(groups.info.parameterCount == floats.info.parameterCount)
            let (expected, found) = try await (floats.logitRows(of: tokens), groups.logitRows(of: tokens))
            #expect(largestDifference(expected.joined(), found.joined()) < 1e-3)
        }

        @Test("rewound and read again, a sequence has the same logits")
        func rewinds() async throws {
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            try tiny().writeFolder(to: directory.url)
            let model = try await MLXModel.load(directory.url, configuration: .init(context: 600))
            try await expectRewinding(model, of: (0..<550).map { tokens[$0 % tokens.count] })
        }
    }
#endif
