// SPDX-License-Identifier: Apache-2.0

/// An event of a ``FunctionLoop``.
public enum FunctionLoopEvent: Sendable {
    /// A part of a reply of the model, or its completion.
    case response(MessageResponse)
    /// A call and the message with its result, which is in the history.
    case result(FunctionCall, ChatMessage)
    /// The loop has ended; the last event.
    case finished(FunctionLoopOutcome)

    /// Appends the next event to this one if both are pieces of the same text or sound.
    mutating func join(_ next: FunctionLoopEvent) -> Bool {
        guard case .response(let piece) = next, case .response(var response) = self else { return false }
        self = .response(.chunk(""))
        let isJoined = response.join(piece)
        self = .response(response)
        return isJoined
    }
}
