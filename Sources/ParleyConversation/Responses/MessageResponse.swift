// SPDX-License-Identifier: Apache-2.0

/// What happens in the course of a reply, in order.
///
/// Any number of the other cases come before exactly one ``complete(_:)``, which is the last. Chunks are never empty
/// and never end inside a character; joined they are the texts of the completion's message.
public enum MessageResponse: Hashable, Sendable {
    /// A piece of the answer.
    case chunk(String)
    /// A piece of what the model thinks before it answers, without its tags.
    case reasoningChunk(String)
    /// Functions that the model calls, in order.
    case functionCall([FunctionCall])
    /// A piece of spoken answer: samples between -1 and 1, and how many of them make a second.
    case audioSample(samples: [Float], sampleRate: Int)
    /// The reply has ended and is in the history; the last event.
    case complete(MessageCompletion)
}
