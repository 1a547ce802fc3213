// SPDX-License-Identifier: Apache-2.0

/// A piece of a reply, as a runner produces it. A ``ResponseRouter`` makes them from a model's output.
public enum ResponsePart: Hashable, Sendable {
    /// A piece of the answer.
    case text(String)
    /// A piece of reasoning, without its tags.
    case reasoning(String)
    /// Calls of functions.
    case functionCalls([FunctionCall])
    /// A call that could not be read.
    case rejectedFunctionCall(FunctionCallRejection)
    /// A piece of a spoken answer: samples between -1 and 1, and their number per second.
    case audio(samples: [Float], sampleRate: Int)
}
