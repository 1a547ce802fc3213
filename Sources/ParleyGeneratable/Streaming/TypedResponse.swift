// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// An event in the course of a typed reply.
public enum TypedResponse<Value: Generatable>: Sendable {
    /// The value so far, each time something in it has been completed.
    ///
    /// A text, number or other simple value appears as a whole, and so does an enum; a struct, array or dictionary
    /// appears once something in it does.
    case partial(Value.Partial)
    /// The model calls functions instead; the last event. Append their results and ask for the value once more.
    case functionCall([FunctionCall])
    /// The whole value, and the reply's completion; the last event.
    case complete(Value, MessageCompletion)
}
