// SPDX-License-Identifier: Apache-2.0

public import ParleyRuntime
public import ParleyTokenizer

/// A model without weights, whose next token is chosen by a closure, for tests of all layers above the engine.
///
///     let model = try ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode("Hello"), after: prompt.count)
public final class ScriptedModel: TokenModel {
    /// The model's name, architecture, sizes and chat template.
    public let info: ModelDescription
    /// The tokenizer with which the model was created.
    public let tokenizer: Tokenizer

    private let next: @Sendable ([TokenID]) -> TokenID
    private let beforeStep: @Sendable (TimelineStep) async throws -> Void
    private let beforeEmbedding: @Sendable (InputEmbedding) async throws -> Void

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - tokenizer: the tokenizer, which defines the vocabulary.
    ///   - beforeStep: called at the start of every step; the step throws the errors that it throws.
    ///   - beforeEmbedding: called at the start of every step over an embedding, all of which are taken; the step throws
    ///     the errors that it throws.
    ///   - next: returns the most likely token after the given ones.
    public init(
        tokenizer: Tokenizer, beforeStep: @escaping @Sendable (TimelineStep) async throws -> Void = { _ in },
        beforeEmbedding: @escaping @Sendable (InputEmbedding) async throws -> Void = { _ in },
        next: @escaping @Sendable ([TokenID]) -> TokenID
    ) {
        self.tokenizer = tokenizer
        self.beforeStep = beforeStep
        self.beforeEmbedding = beforeEmbedding
        self.next = next
        info = ModelDescription(
            name: "scripted", architecture: "scripted", vocabularySize: tokenizer.vocabularySize, trainedContext: 1_024,
            parameterCount: 0)
    }

    /// Creates a model that generates the tokens of a reply after any prompt of the given length, and then ends.
    ///
    /// - Parameters:
    ///   - tokenizer: the tokenizer, which defines the vocabulary.
    ///   - reply: the tokens of the reply, after which the model generates the end-of-generation token with the lowest
    ///     id, or token 0 if there is none.
    ///   - promptCount: the length of the prompt in tokens.
    ///   - beforeStep: called at the start of every step; the step throws the errors that it throws.
    public convenience init(
        tokenizer: Tokenizer, saying reply: [TokenID], after promptCount: Int,
        beforeStep: @escaping @Sendable (TimelineStep) async throws -> Void = { _ in }
    ) {
        let end = tokenizer.endOfGeneration.min() ?? 0
        self.init(tokenizer: tokenizer, beforeStep: beforeStep) { tokens in
            let said = tokens.count - promptCount
            return reply.indices.contains(said) ? reply[said] : end
        }
    }

    /// Creates an empty sequence.
    public func makeTimeline(capacity: Int) -> any TokenTimeline {
        Timeline(self, capacity: capacity)
    }

    /// `@unchecked Sendable`: a timeline is used by one generation at a time.
    private final class Timeline: TokenTimeline, @unchecked Sendable {
        let capacity: Int
        private(set) var contents = ModelInput()
        var rewindsExactly: Bool { true }

        private let model: ScriptedModel

        init(_ model: ScriptedModel, capacity: Int) {
            self.model = model
            self.capacity = capacity
        }

        func rewind(to position: Int) -> Int {
            contents.truncate(to: position)
        }

        func step(_ step: TimelineStep, into output: LogitRows) async throws {
            try await model.beforeStep(step)
            try Task.checkCancellation()
            let appended = step.tokens
            try requireRoom(for: appended.count)
            let rows = step.wantedTokens.count
            try output.resize(count: rows, vocabularySize: model.info.vocabularySize)
            for (index, token) in appended.enumerated() {
                contents.append([token])
                let row = index - (appended.count - rows)
                guard row >= 0 else { continue }
                let logits = output[row]
                logits.update(repeating: -10)
                logits[Int(model.next(contents.tokens))] = 10
            }
        }

        func step(over embedding: InputEmbedding) async throws {
            try await model.beforeEmbedding(embedding)
            try Task.checkCancellation()
            try requireRoom(for: embedding.count)
            contents.append(.embedding(embedding))
        }

        private func requireRoom(for count: Int) throws {
            guard count <= capacity - contents.count else {
                throw RuntimeError(.contextExceeded, "\(count) more positions exceed the context of \(capacity).")
            }
        }
    }
}
