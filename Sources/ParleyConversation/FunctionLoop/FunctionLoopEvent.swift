// SPDX-License-Identifier: Apache-2.0

/// What happens in a ``FunctionLoop``.
public enum FunctionLoopEvent: Sendable {
    /// A reply of the model goes on or, with `complete`, has ended.
    case response(MessageResponse)
    /// A call has been answered by this message, which is in the history.
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
