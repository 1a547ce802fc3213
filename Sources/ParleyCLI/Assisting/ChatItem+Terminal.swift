// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant

extension ChatItem.Ending {
    /// What is said below a reply.
    var remark: String {
        switch self {
        case .stopped: "Stopped. Nothing that the reply proposed was done."
        case .timedOut: "The time limit was reached. Nothing that the reply proposed was done."
        case .length: "The reply reached the limit of --max-tokens."
        case .contextFull: "The context is full. /new starts a new chat; --context sets a longer context."
        case .constraint: "The model could not continue as the schema requires."
        case .onlyReasoned: "The model gave no answer; this is its reasoning."
        case .searchInterrupted: "The search was interrupted."
        }
    }
}
