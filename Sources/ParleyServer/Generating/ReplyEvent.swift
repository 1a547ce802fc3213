// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation

/// What happens while a request for replies is served.
package enum ReplyEvent: Sendable {
    /// All that can be checked has been checked, and the prompt of a reply is accepted.
    case accepted(choice: Int)
    /// The prompt of a reply, which will be read, has so many tokens; only where the form of the answer begins with that.
    case prompt(tokens: Int, choice: Int)
    /// The prompt of a text that is continued, with which the answer begins, and the probabilities of its tokens where they
    /// are wanted.
    case echo(String, [TokenProbability]?, choice: Int)
    /// Tokens of the next piece of a reply, with their probabilities.
    case probabilities([TokenProbability], choice: Int)
    /// A piece of a reply.
    case response(MessageResponse, choice: Int)
    /// A reply is complete.
    case complete(MessageCompletion, choice: Int)
    /// The request cannot be served, or not to its end; the last event.
    case failed(ServerError)
    /// All replies are complete; the last event.
    case end
    /// Time has passed.
    case tick(ContinuousClock.Instant)
}
