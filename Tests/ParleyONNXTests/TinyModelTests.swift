// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import Foundation
    import ParleyEngine
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

        @Test("logits are those of the native engine on the same weights, within rounding")
        func agreesWithNative() async throws {
            try await withTemporaryDirectory { directory in
                let (file, folder) = (directory.appending(path: "tiny.gguf"), directory.appending(path: "onnx"))
                try tiny().write(to: file)
                try tiny().writeONNXFolder(to: folder)
                let native = try await NativeModel.load(
                    file, configuration: EngineConfiguration(context: 64, threads: 1))
                let model = try await ONNXModel.load(folder, configuration: .init(context: 64, threads: 1))
                let (expected, found) = try await (logits(of: native), logits(of: model))
                #expect(found.count == tokens.count)
                let largest = expected.joined().map(abs).max() ?? 0
                for (row, pair) in zip(expected, found).enumerated() {
                    let difference = zip(pair.0, pair.1).map { abs($0 - $1) }.max() ?? .infinity
                    #expect(difference < 0.01 * largest, "row \(row)")
                }
            }
        }

        @Test("rewound and read again, a sequence has the same logits")
        func rewinds() async throws {
            try await withTemporaryDirectory { directory in
                try tiny().writeONNXFolder(to: directory)
                let model = try await ONNXModel.load(directory, configuration: .init(context: 400, threads: 1))
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
            }
        }
    }
#endif
