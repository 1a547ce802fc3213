// SPDX-License-Identifier: Apache-2.0

/// The description of a loaded model.
public struct ModelDescription: Sendable {
    /// The name given in the file, or else the file's name.
    public var name: String
    /// The architecture, such as `llama`.
    public var architecture: String
    /// The number of tokens in the vocabulary, which is the number of logits in a row.
    public var vocabularySize: Int
    /// The longest context the model was trained for, in tokens.
    public var trainedContext: Int
    /// The number of parameters (weights).
    public var parameterCount: Int
    /// The chat template in the file, if any.
    public var chatTemplate: String?
    /// The sampling options that the file recommends; values may be missing or out of range.
    public var sampling: SamplingOptions

    /// Creates a description.
    public init(
        name: String, architecture: String, vocabularySize: Int, trainedContext: Int, parameterCount: Int,
        chatTemplate: String? = nil, sampling: SamplingOptions = .init()
    ) {
        self.name = name
        self.architecture = architecture
        self.vocabularySize = vocabularySize
        self.trainedContext = trainedContext
        self.parameterCount = parameterCount
        self.chatTemplate = chatTemplate
        self.sampling = sampling
    }
}
