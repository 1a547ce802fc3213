// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import Synchronization

/// What the store of the chats has to say, until there is a moment to show it.
final class ChatRemarks: Sendable {
    private let remarks = Mutex<[String]>([])

    /// Takes a notice.
    func add(_ notice: ChatNotice) {
        guard let remark = notice.remark else { return }
        remarks.withLock { $0.append(remark) }
    }

    /// What has come since the last call.
    func take() -> [String] {
        remarks.withLock { remarks in
            defer { remarks = [] }
            return remarks
        }
    }
}
