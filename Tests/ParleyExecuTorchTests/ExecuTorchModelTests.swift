// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import Foundation
    import ParleyEngine
    import ParleyExecuTorch
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTokenizer
    import Testing

    @Suite(
        "The default model in ExecuTorch", .serialized, .enabled(if: ExecuTorchFixture.hasModel, ExecuTorchFixture.hint)
    )
    struct ExecuTorchModelTests {
        @Test("the capital of France is Paris, chosen by the most probable tokens")
        func greedy() async throws {
            let model = try await ExecuTorchModel.load(ExecuTorchFixture.model)
            let prompt = model.tokenizer.encode(
                "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n",
                specialTokens: .parsed)
            let timeline = try model.makeTimeline(capacity: 128)
            var (next, reply): ([TokenID], [TokenID]) = (prompt, [])
            let output = LogitRows()
            while reply.count < 24 {
                try await timeline.step(TimelineStep(tokens: next), into: output)
                let best = try #require(output[0].indices.max { output[0][$0] < output[0][$1] })
                if model.tokenizer.endOfGeneration.contains(TokenID(best)) { break }
                reply.append(TokenID(best))
                next = [TokenID(best)]
            }
            #expect(model.tokenizer.decode(reply) == "The capital of France is Paris.")
        }
    }

    @Suite(
        "Tiny random models in ExecuTorch", .serialized,
        .enabled(if: ExecuTorchFixture.hasTiny, ExecuTorchFixture.hint))
    struct TinyModelTests {
        private let tokens: [TokenID] = (0..<48).map { ($0 * 977 + 3) % 49_000 }

        /// The logits of all positions, which are read in two steps of many tokens and one of a single one.
        private func logits(of model: any TokenModel) async throws -> [[Float]] {
            let timeline = try model.makeTimeline(capacity: 64)
            var rows: [[Float]] = []
            for part in [tokens[..<20], tokens[20..<21], tokens[21...]] {
                let output = LogitRows()
                try await timeline.step(TimelineStep(tokens: Array(part), positions: .all), into: output)
                rows += (0..<output.count).map { Array(output[$0]) }
            }
            return rows
        }

        @Test(
            "logits are those of the native engine on the folder that was exported, within rounding",
            arguments: [ExecuTorchFixture.tiny, ExecuTorchFixture.last])
        func agreesWithNative(folder: URL) async throws {
            let native = try await NativeModel.load(
                ExecuTorchFixture.source, configuration: EngineConfiguration(context: 64, threads: 1))
            let model = try await ExecuTorchModel.load(folder)
            #expect(model.context == 512)
            let (expected, found) = try await (logits(of: native), logits(of: model))
            #expect(found.count == tokens.count)
            let largest = expected.joined().map(abs).max() ?? 0
            for (row, pair) in zip(expected, found).enumerated() {
                let difference = zip(pair.0, pair.1).map { abs($0 - $1) }.max() ?? .infinity
                #expect(difference < 0.01 * largest, "row \(row)")
            }
        }

        @Test("rewound and read again, a sequence has the same logits, beside another one")
        func rewinds() async throws {
            let model = try await ExecuTorchModel.load(ExecuTorchFixture.tiny)
            let (before, after) = (LogitRows(), LogitRows())
            let timeline = try model.makeTimeline(capacity: 400)
            let long = (0..<350).map { tokens[$0 % tokens.count] }
            try await timeline.step(TimelineStep(tokens: long), into: before)
            let other = try model.makeTimeline(capacity: 64)
            try await other.step(TimelineStep(tokens: Array(tokens.reversed())), into: after)
            #expect(timeline.rewind(to: 5) == 5)
            try await timeline.step(TimelineStep(tokens: Array(long[5...])), into: after)
            let difference = zip(before[0], after[0]).map { abs($0 - $1) }.max() ?? .infinity
            #expect(difference < 1e-4)
            #expect(timeline.contents.tokens == long)
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
                try await loadAndFree(ExecuTorchFixture.tiny)
                let threads = try #require(threadCountOfProcess())
                let growth = try await memoryGrowth(over: 200) { try await loadAndFree(ExecuTorchFixture.tiny) }
                // A model takes 25 MiB, and the last one may still be on its way out; 200 that stay would take 5 GiB.
                #expect(try #require(growth) < 48 << 20)
                #expect(try #require(threadCountOfProcess()) <= threads + 2)
            }
        }
    }

    /// Loads a model, runs a few tokens through it, and waits until it is freed.
    private func loadAndFree(_ url: URL) async throws {
        func use() async throws -> ModelLifetime? {
            let model = try await ExecuTorchModel.load(url)
            let timeline = try model.makeTimeline(capacity: 64)
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
            return model.lifetime
        }
        let lifetime = try #require(try await use())
        while !lifetime.isEnding { await Task.yield() }
        await lifetime.waitUntilFreed()
    }
#endif
