// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// What happens in the course of a typed reply, in order.
public enum TypedResponse<Value: Generatable>: Sendable {
    /// What is there of the value: comes each time something in it has been completed, and grows.
    ///
    /// A text, number or other simple value is there as a whole or not at all, and so is an enum; a struct, array or
    /// dictionary is there once something in it is.
    case partial(Value.Partial)
    /// The model calls functions instead; the last event. Append their results and ask for the value once more.
    case functionCall([FunctionCall])
    /// The whole value, and what is to be known about the reply; the last event.
    case complete(Value, MessageCompletion)
}
