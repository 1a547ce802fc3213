// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// The script of a ``ScriptedRunner`` for one generation.
///
/// ```swift
/// let simple: ScriptedReply = "Paris."
/// let cut = ScriptedReply("<think>Easy.</think>Paris.", cuts: .every(3))
/// let broken = ScriptedReply(steps: [.token("Par"), .fail(ConversationError(.generationFailed, "No power."))])
/// ```
public struct ScriptedReply: Sendable, ExpressibleByStringLiteral {
    /// A step of the script.
    public enum Step: Sendable {
        /// The model generates a token.
        case token(String)
        /// The model waits at a gate until it is opened or the generation is cancelled.
        case wait(Gate)
        /// The model waits on the runner's clock until the time is over or the generation is cancelled.
        case sleep(Duration)
        /// The model delivers a part that is not text, such as audio.
        case part(ResponsePart)
        /// The runner tells how far the reply is from its next piece.
        case progress(GenerationProgress)
        /// The engine throws an error.
        case fail(any Error)
    }

    /// The steps before it is known that the prompt fits into the context.
    public var beforeAccepting: [Step] = []
    /// The steps while the prompt is processed, after it is known to fit.
    public var prompt: [Step] = []
    /// The steps while the reply is generated.
    public var steps: [Step]
    /// The reason why the reply ends, unless something ends it before the last step.
    public var finishReason: FinishReason

    /// Creates a reply from its steps.
    public init(steps: [Step], finishReason: FinishReason = .stop) {
        self.steps = steps
        self.finishReason = finishReason
    }

    /// Creates a reply that generates a text, which may contain tags for reasoning and function calls.
    public init(_ text: String, cuts: TokenCuts = .words, finishReason: FinishReason = .stop) {
        self.init(steps: cuts.tokens(of: text).map(Step.token), finishReason: finishReason)
    }

    /// Creates a reply that generates a text word by word.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
