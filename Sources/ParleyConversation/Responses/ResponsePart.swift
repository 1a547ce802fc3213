// SPDX-License-Identifier: Apache-2.0

/// A piece of a reply as a runner writes it; a ``ResponseRouter`` makes them from a model's text.
public enum ResponsePart: Hashable, Sendable {
    /// A piece of the answer.
    case text(String)
    /// A piece of reasoning, without its tags.
    case reasoning(String)
    /// Calls of functions.
    case functionCalls([FunctionCall])
    /// A call that could not be read.
    case rejectedFunctionCall(FunctionCallRejection)
    /// A piece of spoken answer.
    case audio(samples: [Float], sampleRate: Int)
}
