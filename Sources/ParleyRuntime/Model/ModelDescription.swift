// SPDX-License-Identifier: Apache-2.0

/// The description of a loaded model.
public struct ModelDescription: Sendable {
    /// The name in the file, or the file's own name.
    public var name: String
    /// The architecture, such as `llama`.
    public var architecture: String
    /// The number of tokens, and of logits in a row.
    public var vocabularySize: Int
    /// The longest context the model was trained for, in tokens.
    public var trainedContext: Int
    /// The number of weights.
    public var parameterCount: Int
    /// The chat template in the file.
    public var chatTemplate: String?
    /// The sampling that the model's makers recommend, as far as they say; values may be out of range.
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
