// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// Records the events that callbacks receive, and waits for the last one.
final class ResponseRecorder: Sendable {
    private struct State {
        var replies = ConformanceTrial.Replies()
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// No other lock may be taken while this one is held, so continuations are resumed after it is released.
    private let state = Mutex(State())

    var replies: ConformanceTrial.Replies { state.withLock { $0.replies } }

    /// Records a response.
    ///
    /// - Returns: whether it is the first.
    @discardableResult
    func record(_ response: MessageResponse) -> Bool {
        let (isFirst, waiting) = state.withLock { state in
            state.replies.responses.append(response)
            if case .complete = response { state.hasEnded = true }
            return (state.replies.responses.count == 1, Self.released(&state))
        }
        for continuation in waiting { continuation.resume() }
        return isFirst
    }

    func record(_ error: ConversationError) {
        let waiting = state.withLock { state in
            state.replies.error = error
            state.hasEnded = true
            return Self.released(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the completion or an error has been recorded.
    func end() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiting.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    private static func released(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard state.hasEnded else { return [] }
        defer { state.waiting = [] }
        return state.waiting
    }
}
