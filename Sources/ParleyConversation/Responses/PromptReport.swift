// SPDX-License-Identifier: Apache-2.0

public import ParleySampling

/// How a runner made the prompt from a conversation.
public struct PromptReport: Hashable, Sendable {
    /// The number of turns that were left out to make it fit into the context.
    public var droppedTurns: Int
    /// The number of turns that were replaced by a summary.
    public var summarisedTurns: Int
    /// The name of the format that function calls were parsed in; nil if no calls were parsed.
    public var functionCallFormat: String?
    /// Whether the functions were described in the system message, because the model's template does not support
    /// functions. Such a model was not trained for this, and calls functions less reliably.
    public var describesFunctionsInSystemMessage: Bool
    /// The number of images that were left out, because the model does not understand images or was loaded without its
    /// projector.
    public var droppedImages: Int
    /// The number of sounds that were written down, because the model hears nothing; see ``SpeechTranscribing``.
    public var transcribedSounds = 0
    /// The ids of the prompt's tokens, without the images between them; nil if the runner does not know them.
    public var tokens: [Int32]?
    /// The SHA-256 digest of ``tokens``, as 32-bit integers of the lower byte first, in hexadecimal digits; nil if the
    /// runner does not know them.
    public var digest: String?
    /// The tokens of a continued text with their probabilities; nil unless they were asked for. That of the first token,
    /// before which there is nothing, means nothing.
    public var probabilities: [TokenProbability]?
    /// The number of images in the prompt, which are not among the ``tokens``.
    public var images = 0
    /// Whether the prompt ends inside reasoning, because the template has written the opening tag.
    public var startsInsideReasoning = false
    /// How the reply's tokens are drawn, defaults and seed included; nil if the runner does not know it. With these
    /// options, the same prompt and the same model, the reply is the same.
    public var sampling: SamplingOptions?

    /// Creates a report.
    public init(
        droppedTurns: Int = 0, functionCallFormat: String? = nil, describesFunctionsInSystemMessage: Bool = false,
        droppedImages: Int = 0, summarisedTurns: Int = 0
    ) {
        self.droppedTurns = droppedTurns
        self.functionCallFormat = functionCallFormat
        self.describesFunctionsInSystemMessage = describesFunctionsInSystemMessage
        self.droppedImages = droppedImages
        self.summarisedTurns = summarisedTurns
    }
}
