// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTesting
import Synchronization

/// Records what callbacks receive.
final class ResponseLog: Sendable {
    private let state = Mutex<(responses: [MessageResponse], errors: [ConversationError])>(([], []))
    private let last = Gate()

    var responses: [MessageResponse] { state.withLock { $0.responses } }
    var errors: [ConversationError] { state.withLock { $0.errors } }

    func append(_ response: MessageResponse) {
        state.withLock { $0.responses.append(response) }
        if case .complete = response { last.open() }
    }

    func append(_ error: ConversationError) {
        state.withLock { $0.errors.append(error) }
        last.open()
    }

    /// Waits for a completion or an error.
    func end() async throws {
        try await last.wait()
    }
}
