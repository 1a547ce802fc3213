// SPDX-License-Identifier: Apache-2.0

public import ParleyRuntime
public import ParleyTokenizer

/// A model without weights whose next token a closure chooses: for tests of everything above the engine.
///
///     let model = try ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode("Hello"), after: prompt.count)
public final class ScriptedModel: TokenModel {
    /// What the model is: its name, architecture, sizes and chat template.
    public let info: ModelDescription
    /// The tokenizer it was given.
    public let tokenizer: Tokenizer

    private let next: @Sendable ([TokenID]) -> TokenID
    private let beforeStep: @Sendable (TimelineStep) async throws -> Void

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - tokenizer: gives the vocabulary.
    ///   - beforeStep: called at the start of every step; what it throws, the step throws.
    ///   - next: the likeliest token after the given ones.
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

    /// Creates a model that says the tokens of a reply, whatever the prompt of the given length, and then ends it.
    ///
    /// - Parameters:
    ///   - tokenizer: gives the vocabulary.
    ///   - reply: the tokens; after them comes the smallest end-of-generation token, or token 0 where there is none.
    ///   - promptCount: the length of the prompt, in tokens.
    ///   - beforeStep: called at the start of every step; what it throws, the step throws.
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

    /// `@unchecked Sendable`: a timeline belongs to one generation at a time.
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
