// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// An event of a typed reply.
public enum TypedResponse<Value: Generatable>: Sendable {
    /// The value so far, delivered each time a part of it is complete.
    ///
    /// Strings, numbers, other simple values and enums appear only when complete; structs, arrays and dictionaries
    /// appear once they contain a complete value.
    case partial(Value.Partial)
    /// The model calls functions instead, which is the last event; append their results and ask for the value again.
    case functionCall([FunctionCall])
    /// The whole value and the reply's completion, which is the last event.
    case complete(Value, MessageCompletion)
}
