// SPDX-License-Identifier: Apache-2.0

extension GenerationOptions {
    /// These options, with missing values taken from `defaults`: first the model's, then the engine's.
    ///
    /// ```swift
    /// let effective = GenerationOptions(temperature: 0).filled(from: GenerationOptions(temperature: 1, topK: 40))
    /// // temperature 0, topK 40
    /// ```
    ///
    /// Only values that are nil are taken; the stop strings of both count.
    public func filled(from defaults: GenerationOptions) -> GenerationOptions {
        var options = self
        options.sampling = sampling.filled(from: defaults.sampling)
        options.maxTokens = maxTokens ?? defaults.maxTokens
        options.maxReasoningTokens = maxReasoningTokens ?? defaults.maxReasoningTokens
        options.stop = stop + defaults.stop.filter { !stop.contains($0) }
        options.timeout = timeout ?? defaults.timeout
        options.jsonSchemaConstraint = jsonSchemaConstraint ?? defaults.jsonSchemaConstraint
        options.heldBlocks = heldBlocks.isEmpty ? defaults.heldBlocks : heldBlocks
        options.functionCallParser = functionCallParser ?? defaults.functionCallParser
        return options
    }

    /// Checks the options, as far as that is possible without a model.
    ///
    /// - Throws: ``ConversationError`` with code `invalidInput` that names the first option out of range.
    public func validate() throws {
        func require(_ condition: Bool, _ name: String, _ range: String) throws {
            guard !condition else { return }
            throw ConversationError(.invalidInput, "\(name) is out of range; it has to be \(range).")
        }
        if let wrong = sampling.outOfRange { try require(false, wrong.option, wrong.range) }
        try require(maxTokens.map { $0 >= 0 } ?? true, "maxTokens", "0 or more")
        try require(maxReasoningTokens.map { $0 >= 0 } ?? true, "maxReasoningTokens", "0 or more")
        try require(likelyTokens.map { $0 >= 0 } ?? true, "likelyTokens", "0 or more")
        try require(timeout.map { $0 >= .zero } ?? true, "timeout", "0 or more")
        try require(schemaTimeout.map { $0 >= .zero } ?? true, "schemaTimeout", "0 or more")
        guard heldBlocks.allSatisfy({ !$0.opening.isEmpty }) else {
            throw ConversationError(
                .invalidInput, "heldBlocks has a block without an opening; write the text that opens it.")
        }
    }
}
