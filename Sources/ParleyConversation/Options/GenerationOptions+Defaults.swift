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
        options.temperature = temperature ?? defaults.temperature
        options.topK = topK ?? defaults.topK
        options.topP = topP ?? defaults.topP
        options.minP = minP ?? defaults.minP
        options.repetitionPenalty = repetitionPenalty ?? defaults.repetitionPenalty
        options.seed = seed ?? defaults.seed
        options.maxTokens = maxTokens ?? defaults.maxTokens
        options.maxReasoningTokens = maxReasoningTokens ?? defaults.maxReasoningTokens
        options.stop = stop + defaults.stop.filter { !stop.contains($0) }
        options.timeout = timeout ?? defaults.timeout
        options.jsonSchemaConstraint = jsonSchemaConstraint ?? defaults.jsonSchemaConstraint
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
        try require(temperature.map { $0 >= 0 && $0.isFinite } ?? true, "temperature", "0 or more")
        try require(topK.map { $0 >= 0 } ?? true, "topK", "0 or more")
        try require(topP.map { $0 > 0 && $0 <= 1 } ?? true, "topP", "above 0 and at most 1")
        try require(minP.map { (0...1).contains($0) } ?? true, "minP", "between 0 and 1")
        try require(repetitionPenalty.map { $0 > 0 && $0.isFinite } ?? true, "repetitionPenalty", "more than 0")
        try require(maxTokens.map { $0 >= 0 } ?? true, "maxTokens", "0 or more")
        try require(maxReasoningTokens.map { $0 >= 0 } ?? true, "maxReasoningTokens", "0 or more")
        try require(timeout.map { $0 >= .zero } ?? true, "timeout", "0 or more")
    }
}
