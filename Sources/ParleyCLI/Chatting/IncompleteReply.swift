// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyConversation
import ParleyJSON

/// A reply that had to be JSON and was cut off before its end, so that it must not be used as an answer.
package struct IncompleteReply: Error, Sendable, CustomStringConvertible {
    /// The status of a command that ends with this.
    package static let status: Int32 = 3

    /// What cut it off and what to do.
    package let description: String

    /// Takes a reply under a schema; nil where it is complete.
    package init?(_ reply: MessageCompletion) {
        if let remark = ReplyReport.remark(reply.finishReason) {
            description = "The reply is incomplete. \(remark)"
        } else if (try? JSONValue(parsing: reply.message.text)) == nil {
            description = "The reply is incomplete. It reached the text of --stop."
        } else {
            return nil
        }
    }
}
