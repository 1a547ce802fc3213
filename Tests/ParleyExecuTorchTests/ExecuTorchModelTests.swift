// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import Foundation
    import ParleyEngine
    import ParleyEngineCases
    import ParleyExecuTorch
    import ParleyRuntime
    import ParleySystem
    import ParleyTestSupport
    import ParleyTokenizer
    import Testing

    @Suite(
        "The default model in ExecuTorch", .serialized, .enabled(if: ExecuTorchFixture.hasModel, ExecuTorchFixture.hint)
    )
    struct ExecuTorchModelTests {
        @Test("the capital of France is Paris, chosen by the most probable tokens")
        func greedy() async throws {
            try await expectParis(try await ExecuTorchModel.load(ExecuTorchFixture.model))
        }

        @Test(
            "so it is with weights of 4 bits, which say more",
            .enabled(if: ExecuTorchFixture.hasFew, ExecuTorchFixture.hint))
        func fewBits() async throws {
            let model = try await ExecuTorchModel.load(ExecuTorchFixture.few)
            #expect(model.memoryPlan.weights.count < 200 << 20)
            let reply = try await model.reply(to: "What is the capital of France?", count: 8)
            #expect(model.tokenizer.decode(reply).hasPrefix("The capital of France is Paris"))
        }
    }

    @Suite(
        "Tiny random models in ExecuTorch", .serialized,
        .enabled(if: ExecuTorchFixture.hasTiny, ExecuTorchFixture.hint))
    struct TinyModelTests {
        private let tokens: [TokenID] = (0..<48).map { ($0 * 977 + 3) % 49_000 }

        @Test(
            "logits are those of the native engine on the folder that was exported, within rounding",
            arguments: [ExecuTorchFixture.tiny, ExecuTorchFixture.last])
        func agreesWithNative(folder: URL) async throws {
            let native = try await NativeModel.load(
                ExecuTorchFixture.source, configuration: EngineConfiguration(context: 64, threads: 1))
            let model = try await ExecuTorchModel.load(folder)
            #expect(model.context == 512)
            try await expectSameLogits(model, as: native, of: tokens)
        }

        @Test("rewound and read again, a sequence has the same logits, beside another one")
        func rewinds() async throws {
            let model = try await ExecuTorchModel.load(ExecuTorchFixture.tiny)
            try await expectRewinding(model, of: (0..<350).map { tokens[$0 % tokens.count] })
        }

        @Test("a file that is no program is refused with the library's reason")
        func damaged() async throws {
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            for name in ["config.json", "tokenizer.json"] {
                try FileManager.default.copyItem(
                    at: ExecuTorchFixture.tiny.appending(path: name), to: directory.url.appending(path: name))
            }
            try Data(count: 4_096).write(to: directory.url.appending(path: "model.pte"))
            await #expect {
                _ = try await ExecuTorchModel.load(directory.url)
            } throws: { error in
                let error = error as? RuntimeError
                return error?.code == .engineFailed && error?.message.contains("InvalidProgram") == true
            }
        }

        @Test("200 models that are loaded, used and freed leave neither memory nor threads")
        func cycles() async throws {
            await #expect(processExitsWith: .success) {
                // A model takes 25 MiB, and the last one may still be on its way out; 200 that stay would take 5 GiB.
                try await expectNothingLeft(growth: 48 << 20) {
                    try await ExecuTorchModel.load(ExecuTorchFixture.tiny)
                }
            }
        }
    }
#endif
