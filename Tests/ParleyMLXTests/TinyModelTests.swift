// SPDX-License-Identifier: Apache-2.0

#if MLX
    import Foundation
    import ParleyEngine
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
            let (expected, found) = try await (logits(of: native), logits(of: model))
            let largest = expected.joined().map(abs).max() ?? 0
            for (row, pair) in zip(expected, found).enumerated() {
                let difference = zip(pair.0, pair.1).map { abs($0 - $1) }.max() ?? .infinity
                #expect(difference < 0.01 * largest, "row \(row)")
            }
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
            let (expected, found) = try await (logits(of: floats), logits(of: groups))
            for (row, pair) in zip(expected, found).enumerated() {
                let difference = zip(pair.0, pair.1).map { abs($0 - $1) }.max() ?? .infinity
                #expect(difference < 1e-3, "row \(row)")
            }
        }

        @Test("rewound and read again, a sequence has the same logits")
        func rewinds() async throws {
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            try tiny().writeFolder(to: directory.url)
            let model = try await MLXModel.load(directory.url, configuration: .init(context: 600))
            let (before, after) = (LogitRows(), LogitRows())
            let timeline = try model.makeTimeline(capacity: 600)
            let long = (0..<550).map { tokens[$0 % tokens.count] }
            try await timeline.step(TimelineStep(tokens: long), into: before)
            let other = try model.makeTimeline(capacity: 64)
            try await other.step(TimelineStep(tokens: Array(tokens.reversed())), into: after)
            #expect(timeline.rewind(to: 5) == 5)
            try await timeline.step(TimelineStep(tokens: Array(long[5...])), into: after)
            let difference = zip(before[0], after[0]).map { abs($0 - $1) }.max() ?? .infinity
            #expect(difference < 1e-4)
            #expect(timeline.contents.tokens == long)
        }
    }
#endif
