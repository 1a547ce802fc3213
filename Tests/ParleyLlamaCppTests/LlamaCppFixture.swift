// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyEngine
    import ParleyLlamaCpp
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import ParleyTokenizer
    import Testing

    extension LlamaCppModel {
        /// Loads a model from a file that exists only during loading.
        static func load(
            _ writer: GGUFWriter, context: Int? = nil, threads: Int = 1, sequences: Int = 4
        ) async throws -> LlamaCppModel {
            try await withModelFile(writer) { url in
                try await load(url, configuration: .init(context: context, threads: threads, sequences: sequences))
            }
        }
    }

    /// Runs with a model in a file that is removed afterwards.
    func withModelFile<Result>(_ writer: GGUFWriter, _ body: (URL) async throws -> Result) async throws -> Result {
        let url = URL.temporary(".gguf")
        try writer.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url)
    }

    extension TokenTimeline {
        /// Appends tokens some at a time and returns the logits of every position, one row after the other.
        func logits(of tokens: [TokenID], chunk: Int = 512) async throws -> [Float] {
            var all: [Float] = []
            let output = LogitRows()
            var rest = tokens[...]
            while !rest.isEmpty {
                try await step(TimelineStep(tokens: Array(rest.prefix(chunk)), positions: .all), into: output)
                for row in 0..<output.count { all += output[row] }
                rest = rest.dropFirst(chunk)
            }
            return all
        }
    }

    /// Random tokens, the same in every run.
    func randomTokens(_ count: Int, vocabulary: Int, seed: UInt64 = 1) -> [TokenID] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in TokenID(Int.random(in: 0..<vocabulary, using: &random)) }
    }

    /// Expects a `RuntimeError` of this code and returns it.
    @discardableResult
    func expect(
        code: RuntimeError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async -> RuntimeError? {
        do {
            try await body()
            Issue.record("threw nothing", sourceLocation: sourceLocation)
        } catch let error as RuntimeError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            return error
        } catch {
            Issue.record("threw \(error)", sourceLocation: sourceLocation)
        }
        return nil
    }
#endif
