// SPDX-License-Identifier: Apache-2.0

/// What a runner did to make a prompt from a conversation.
public struct PromptReport: Hashable, Sendable {
    /// How many turns were left out to make it fit.
    public var droppedTurns: Int
    /// How many turns were replaced by a summary of the model's.
    public var summarisedTurns: Int
    /// The name of the format in which function calls were looked for; nil where they were not.
    public var functionCallFormat: String?
    /// Whether the functions were described in the system message, because the model's template takes none. Such a
    /// model was not trained for it, and calls less reliably.
    public var describesFunctionsInSystemMessage: Bool
    /// How many images were left out, because the model cannot see images or was loaded without its projector.
    public var droppedImages: Int

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
