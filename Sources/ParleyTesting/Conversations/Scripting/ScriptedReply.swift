// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// What a ``ScriptedRunner`` does for one generation.
///
/// ```swift
/// let simple: ScriptedReply = "Paris."
/// let cut = ScriptedReply("<think>Easy.</think>Paris.", cuts: .every(3))
/// let broken = ScriptedReply(steps: [.token("Par"), .fail(ConversationError(.generationFailed, "No power."))])
/// ```
public struct ScriptedReply: Sendable, ExpressibleByStringLiteral {
    /// One step of a reply.
    public enum Step: Sendable {
        /// The model generates a token.
        case token(String)
        /// The model waits at a gate; cancelling ends the wait.
        case wait(Gate)
        /// The model waits on the runner's clock; cancelling ends the wait.
        case sleep(Duration)
        /// The model delivers a part that is no text, such as sound.
        case part(ResponsePart)
        /// The engine fails.
        case fail(any Error)
    }

    /// The steps before the prompt is known to fit.
    public var beforeAccepting: [Step] = []
    /// The steps while the prompt is processed, after it is known to fit.
    public var prompt: [Step] = []
    /// The steps while the reply is generated.
    public var steps: [Step]
    /// Why the reply ends, where all steps were taken.
    public var finishReason: FinishReason

    /// Creates a reply from its steps.
    public init(steps: [Step], finishReason: FinishReason = .stop) {
        self.steps = steps
        self.finishReason = finishReason
    }

    /// Creates a reply that says a text, tags included.
    public init(_ text: String, cuts: TokenCuts = .words, finishReason: FinishReason = .stop) {
        self.init(steps: cuts.tokens(of: text).map(Step.token), finishReason: finishReason)
    }

    /// Creates a reply that says a text word by word.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
