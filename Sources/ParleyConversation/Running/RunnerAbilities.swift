// SPDX-License-Identifier: Apache-2.0

/// What a runner can do beyond replying, as far as options of a reply ask for it.
///
/// A server refuses requests for what a runner cannot do by name; a runner ignores such options.
public struct RunnerAbilities: OptionSet, Hashable, Sendable {
    /// The set as an integer, with one bit for each ability.
    public let rawValue: Int

    /// Creates a set from an integer.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// It tells the probabilities of tokens: ``GenerationOptions/likelyTokens``.
    public static let probabilities = RunnerAbilities(rawValue: 1)
    /// It has the frequency and the presence penalty.
    public static let penalties = RunnerAbilities(rawValue: 2)
    /// It adds values to the logits of tokens.
    public static let logitBias = RunnerAbilities(rawValue: 4)
    /// It continues a last message of the model: ``GenerationOptions/continuesLastMessage``.
    public static let continuing = RunnerAbilities(rawValue: 8)
    /// It sees images; one that does not leaves them out of its prompts.
    public static let images = RunnerAbilities(rawValue: 16)
    /// It fills in the middle of a text: ``CompletionRequest/suffix``.
    public static let fillingIn = RunnerAbilities(rawValue: 32)
}

extension ModelRunner {
    /// Nothing beyond replying.
    public var abilities: RunnerAbilities { [] }
}
