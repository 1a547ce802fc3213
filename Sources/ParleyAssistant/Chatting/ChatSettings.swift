// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// The settings of a chat.
public struct ChatSettings: Hashable, Sendable {
    /// The number of messages, the newest included, that the model reads.
    public var historyWindow = 20
    /// How long a reply may take, from the moment the model begins to read.
    public var deadline: Duration = .seconds(90)
    /// The largest number of tokens of an answer, its reasoning not counted.
    public var answerTokens = 1_024
    /// The largest number of tokens of reasoning before an answer.
    public var thinkingTokens = 1_024
    /// Whether a transcript is sent as soon as speech ends.
    public var sendsSpeech = false
    /// Whether the payload of a block is held to its schema while the model writes it.
    public var holdsBlocks = true
    /// Whether notes without a summary are given one while the model is idle; off unless the user wants it.
    public var enrichesNotes = false
    /// How long nothing must have happened until the model counts as idle.
    public var idleTime: Duration = .seconds(20)
    /// How tokens are drawn.
    public var sampling = SamplingOptions()

    /// Creates the default settings.
    public init() {}

    /// The number of messages that fit a machine's memory: 20, or 50 from 8 GiB on.
    public static func historyWindow(memory: UInt64) -> Int { memory < 8 << 30 ? 20 : 50 }

    /// The options of a reply: thinking and answer have separate budgets.
    ///
    /// - Parameters:
    ///   - thinks: whether the model may reason.
    ///   - tags: the tags whose blocks are held to their schemas.
    /// - Returns: the options.
    public func options(thinks: Bool, holding tags: [ActionTag]) -> GenerationOptions {
        var options = GenerationOptions(
            maxTokens: answerTokens + (thinks ? thinkingTokens : 0), maxReasoningTokens: thinks ? thinkingTokens : 0,
            heldBlocks: holdsBlocks ? tags.flatMap(\.heldBlocks) : [], reasoning: thinks ? .automatic : .off)
        options.sampling = sampling
        return options
    }
}

extension ActionTag {
    /// What holds the payload of the tag's blocks to its schema while a model writes them, one for each name of the tag.
    public var heldBlocks: [HeldBlock] {
        names.map { HeldBlock(opening: "[\($0):", schema: schema, closing: "]") }
    }
}
