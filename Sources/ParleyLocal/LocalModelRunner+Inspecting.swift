// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
package import ParleyRuntime
import ParleySystem
import ParleyTokenizer

extension LocalModelRunner: FigureReporting {
    /// The figures of the model's caches, steps and drafts; none once the model is unloaded.
    public func figures() async -> RunnerFigures {
        var figures = RunnerFigures()
        guard let parts = try? parts() else { return figures }
        let (use, drafts) = (parts.timelines.use, parts.drafts.drafts)
        figures.sequences = use.sequences
        figures.cacheBytes = use.bytes
        figures.reservedCacheBytes = use.reservedBytes
        figures.setBacks = use.setBacks
        (figures.draftedTokens, figures.acceptedTokens) = (drafts.made, drafts.right)
        if let model = parts.model as? any SteppedModel {
            let counted = model.stepFigures
            (figures.steps, figures.rows, figures.stepTime) = (counted.steps, counted.rows, counted.time)
            figures.power = model.power.map(PowerFigures.init)
        }
        return figures
    }

    /// The memory that the caches of conversations use and have reserved; nil once the model is unloaded.
    package var cacheUse: CacheUse? { (try? parts())?.timelines.use }
}

extension PowerFigures {
    /// The figures of what a policy has led to.
    package init(_ status: PowerWatch.Status) {
        self.init(
            policy: status.policy.rawValue, threads: status.limits.threads, stepTokens: status.limits.rows)
        (isOnBattery, charge) = (status.condition.isOnBattery, status.condition.charge)
        (savesEnergy, heat) = (status.condition.savesEnergy, status.condition.heat.rawValue)
    }
}

extension LocalModelRunner: TokenInspecting {
    /// The tokens of a text; see ``TokenInspecting/tokens(of:addsBeginning:)``.
    ///
    /// - Throws: ``ConversationError`` with code `modelNotLoaded`.
    public func tokens(of text: String, addsBeginning: Bool) async throws -> [Int32] {
        let tokenizer = try parts().model.tokenizer
        let tokens = tokenizer.encode(text)
        guard addsBeginning, tokenizer.addsBeginningOfText, let beginning = tokenizer.beginningOfText else {
            return tokens
        }
        return [beginning] + tokens
    }

    /// The bytes of each token; see ``TokenInspecting/pieces(of:)``.
    ///
    /// - Throws: ``ConversationError`` with code `modelNotLoaded` or `invalidInput`.
    public func pieces(of tokens: [Int32]) async throws -> [[UInt8]] {
        let tokenizer = try parts().model.tokenizer
        try Self.check(tokens, tokenizer)
        return tokens.map { tokenizer.bytes(of: $0, showsControlTokens: true) }
    }

    /// The text of tokens; see ``TokenInspecting/text(of:)``.
    ///
    /// - Throws: ``ConversationError`` with code `modelNotLoaded` or `invalidInput`.
    public func text(of tokens: [Int32]) async throws -> String {
        let tokenizer = try parts().model.tokenizer
        try Self.check(tokens, tokenizer)
        return tokenizer.decode(tokens, showsControlTokens: true)
    }

    private static func check(_ tokens: [Int32], _ tokenizer: Tokenizer) throws {
        let known = 0..<TokenID(clamping: tokenizer.vocabularySize)
        guard let wrong = tokens.first(where: { !known.contains($0) }) else { return }
        throw ConversationError(
            .invalidInput, "\(wrong) is no token of the model; there are those from 0 to \(known.upperBound - 1).")
    }

    /// The tokens of a prompt; see ``TokenInspecting/promptTokens(messages:functions:options:)``.
    ///
    /// - Throws: ``ConversationError``.
    public func promptTokens(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> [Int32] {
        let options = options ?? GenerationOptions()
        var messages = messages
        _ = try await writeDownSounds(in: &messages)
        return try parts().renderer.render(messages, functions: functions, options: options).input.tokens
    }
}
