// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import ParleyTestSupport
import ParleyTesting
import Testing

/// Knows which token follows which in a text.
final class PairModel: TokenModel {
    let info: ModelDescription
    let tokenizer: Tokenizer
    private let followers: [TokenID: [TokenID]]

    init(tokenizer: Tokenizer, text: String) {
        let tokens = tokenizer.encode(text, specialTokens: .parsed)
        self.tokenizer = tokenizer
        followers = Dictionary(grouping: zip(tokens, tokens.dropFirst()), by: \.0).mapValues { $0.map(\.1) }
        info = ModelDescription(
            name: "pairs", architecture: "pairs", vocabularySize: tokenizer.vocabularySize, trainedContext: 2_048,
            parameterCount: followers.count)
    }

    func makeTimeline(capacity: Int) -> any TokenTimeline { PairTimeline(self, capacity: capacity) }

    func logits(after token: TokenID, into row: UnsafeMutableBufferPointer<Float>) {
        row.update(repeating: -100)
        for follower in followers[token] ?? [] { row[Int(follower)] += 100 }
    }
}

/// `@unchecked Sendable`: it belongs to one reply at a time.
final class PairTimeline: TokenTimeline, @unchecked Sendable {
    let capacity: Int
    let rewindsExactly = true
    private(set) var contents = ModelInput()
    private let model: PairModel

    init(_ model: PairModel, capacity: Int) {
        self.model = model
        self.capacity = capacity
    }

    func rewind(to position: Int) -> Int { contents.truncate(to: position) }

    func step(_ step: TimelineStep, into output: LogitRows) async throws {
        try Task.checkCancellation()
        guard contents.count + step.tokens.count <= capacity else {
            throw RuntimeError(.contextExceeded, "The context of \(capacity) tokens is full.")
        }
        contents.append(step.tokens)
        let wanted = step.wantedTokens
        try output.resize(count: wanted.count, vocabularySize: model.info.vocabularySize)
        for (row, token) in wanted.enumerated() { model.logits(after: token, into: output[row]) }
    }
}

/// The examples of OwnModels.md, run.
@Suite("Models of your own")
struct OwnModels {
    func pairModel(vocabulary url: URL, text: String) throws -> PairModel {
        let file = try GGUFFile(contentsOf: url)
        return PairModel(tokenizer: try Tokenizer(file.tokenizerDescription()), text: text)
    }

    func talk(to model: PairModel) async throws -> String {
        let runner = try LocalModelRunner(model)
        let conversation = runner.createConversation()
        return try await conversation.reply(to: "Hello!").completion.message.text
    }

    func load(_ name: String) async throws -> LocalModelRunner {
        let engine = EngineDescriptor(
            name: "pairs", formats: [.gguf],
            load: { url, configuration, _ in
                let model = try pairModel(vocabulary: url, text: "Good morning!")
                return .tokens(model, contextSize: configuration.contextSize ?? 2_048)
            })
        return try await LocalModelRunner.load(name, engines: [engine] + EngineDescriptor.builtIn)
    }

    private func withVocabulary<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let url = URL.temporary(".gguf")
        try TinyModel().write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url)
    }

    @Test("A model that knows only pairs of tokens holds a conversation")
    func talking() async throws {
        try await withVocabulary { url in
            let model = try pairModel(vocabulary: url, text: "assistant\nhello world<|im_end|>")
            #expect(try await talk(to: model) == "hello world")
        }
    }

    @Test("Its engine is chosen before those of the build")
    func loading() async throws {
        try await withVocabulary { url in
            let runner = try await load(url.path)
            #expect(runner.info.architecture == "pairs")
        }
    }
}
