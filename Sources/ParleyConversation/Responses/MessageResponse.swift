// SPDX-License-Identifier: Apache-2.0

/// An event in the course of a reply.
///
/// Any number of the other cases come before exactly one ``complete(_:)``, which is the last. Chunks are never empty
/// and never end inside a character; joined they are the texts of the completion's message.
public enum MessageResponse: Hashable, Sendable {
    /// A piece of the answer.
    case chunk(String)
    /// A piece of the reasoning before the answer, without its tags.
    case reasoningChunk(String)
    /// Functions that the model calls, in order.
    case functionCall([FunctionCall])
    /// A piece of a spoken answer: samples between -1 and 1, and their number per second.
    case audioSample(samples: [Float], sampleRate: Int)
    /// The reply has ended and is in the history; the last event.
    case complete(MessageCompletion)
}
