// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import ParleyEngine
    import ParleyEngineCases
    import ParleyModelFile
    import ParleyONNX
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import ParleyTokenizer
    import Testing

    @Suite(
        "Tiny random models in ONNX Runtime", .serialized,
        .enabled(if: ONNXFixture.hasLibrary, ONNXFixture.libraryHint))
    struct TinyModelTests {
        private let tokens: [TokenID] = (0..<48).map { ($0 * 7 + 3) % 40 }

        private func tiny() -> TinyModel {
            var model = TinyModel()
            model.tokenizer = .bytePairs
            return model
        }

        @Test("logits are those of the native engine on the same weights, within rounding")
        func agreesWithNative() async throws {
            try await withTemporaryDirectory { directory in
                let (file, folder) = (directory.appending(path: "tiny.gguf"), directory.appending(path: "onnx"))
                try tiny().write(to: file)
                try tiny().writeONNXFolder(to: folder)
                let native = try await NativeModel.load(
                    file, configuration: EngineConfiguration(context: 64, threads: 1))
                let model = try await ONNXModel.load(folder, configuration: .init(context: 64, threads: 1))
                try await expectSameLogits(model, as: native, of: tokens)
            }
        }

        @Test("rewound and read again, a sequence has the same logits")
        func rewinds() async throws {
            try await withTemporaryDirectory { directory in
                try tiny().writeONNXFolder(to: directory)
                let model = try await ONNXModel.load(directory, configuration: .init(context: 400, threads: 1))
                try await expectRewinding(model, of: (0..<350).map { tokens[$0 % tokens.count] })
            }
        }
    }
#endif
