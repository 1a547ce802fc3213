// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// Ends a reply after its first function call, for clients that take one call at a time.
final class FirstCall: Sendable {
    private struct State {
        var hasCall = false
        var stop: (@Sendable () -> Void)?
    }

    /// No other lock is taken while this one is held.
    private let state = Mutex(State())

    /// Sets what ends the generation; done at once if there is a call already.
    func onCall(_ stop: @escaping @Sendable () -> Void) {
        let hasCall = state.withLock { state in
            state.stop = stop
            return state.hasCall
        }
        if hasCall { stop() }
    }

    /// Takes a piece of the reply.
    ///
    /// - Returns: the piece, with the first call alone; nil for all after that.
    func take(_ response: MessageResponse) -> MessageResponse? {
        guard case .functionCall(let calls) = response, let call = calls.first else {
            return state.withLock { $0.hasCall } ? nil : response
        }
        let (isFirst, stop) = state.withLock { state in
            defer { state.hasCall = true }
            return (!state.hasCall, state.stop)
        }
        stop?()
        return isFirst ? .functionCall([call]) : nil
    }

    /// The completion without what came after the first call.
    func cut(_ completion: MessageCompletion) -> MessageCompletion {
        guard let call = completion.message.functionCalls?.first else { return completion }
        var completion = completion
        completion.message.functionCalls = [call]
        if completion.info.finishReason == .cancelled { completion.info.finishReason = .functionCall }
        return completion
    }
}
