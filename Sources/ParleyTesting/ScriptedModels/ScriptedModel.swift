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

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - tokenizer: the tokenizer, which defines the vocabulary.
    ///   - beforeStep: called at the start of every step; the step throws the errors that it throws.
    ///   - next: returns the most likely token after the given ones.
    public init(
        tokenizer: Tokenizer, beforeStep: @escaping @Sendable (TimelineStep) async throws -> Void = { _ in },
        next: @escaping @Sendable ([TokenID]) -> TokenID
    ) {
        self.tokenizer = tokenizer
        self.beforeStep = beforeStep
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
        Timeline(capacity: capacity, vocabularySize: tokenizer.vocabularySize, next: next, beforeStep: beforeStep)
    }

    /// `@unchecked Sendable`: a timeline is used by one generation at a time.
    private final class Timeline: TokenTimeline, @unchecked Sendable {
        let capacity: Int
        private(set) var tokens: [TokenID] = []
        var rewindsExactly: Bool { true }

        private let vocabularySize: Int
        private let next: @Sendable ([TokenID]) -> TokenID
        private let beforeStep: @Sendable (TimelineStep) async throws -> Void

        init(
            capacity: Int, vocabularySize: Int, next: @escaping @Sendable ([TokenID]) -> TokenID,
            beforeStep: @escaping @Sendable (TimelineStep) async throws -> Void
        ) {
            self.capacity = capacity
            self.vocabularySize = vocabularySize
            self.next = next
            self.beforeStep = beforeStep
        }

        func rewind(to position: Int) -> Int {
            tokens.removeSubrange(min(max(position, 0), tokens.count)...)
            return tokens.count
        }

        func step(_ step: TimelineStep, into output: LogitRows) async throws {
            try await beforeStep(step)
            try Task.checkCancellation()
            let appended = step.tokens
            guard tokens.count + appended.count <= capacity else {
                throw RuntimeError(.contextExceeded, "\(appended.count) more tokens exceed the context of \(capacity).")
            }
            let rows = step.wantedTokens.count
            try output.resize(count: rows, vocabularySize: vocabularySize)
            for (index, token) in appended.enumerated() {
                tokens.append(token)
                let row = index - (appended.count - rows)
                guard row >= 0 else { continue }
                let logits = output[row]
                logits.update(repeating: -10)
                logits[Int(next(tokens))] = 10
            }
        }
    }
}
