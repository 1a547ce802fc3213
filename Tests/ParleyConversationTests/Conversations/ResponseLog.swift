// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// Notes what callbacks say.
final class ResponseLog: Sendable {
    private let state = Mutex<(responses: [MessageResponse], errors: [ConversationError])>(([], []))

    var responses: [MessageResponse] { state.withLock { $0.responses } }
    var errors: [ConversationError] { state.withLock { $0.errors } }

    func append(_ response: MessageResponse) {
        state.withLock { $0.responses.append(response) }
    }

    func append(_ error: ConversationError) {
        state.withLock { $0.errors.append(error) }
    }
}
