// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyConversation
import ParleyJSON

/// The error for a reply that had to be JSON and was cut off before its end, so that it must not be used.
package struct IncompleteReply: Error, Sendable, CustomStringConvertible {
    /// The exit status of a command that ends with this error.
    package static let status: Int32 = 3

    /// Why the reply ended and what to do.
    package let description: String

    /// Creates the error for a reply that was constrained by a schema; nil if the reply is complete.
    package init?(_ reply: MessageCompletion) {
        if let remark = ReplyReport.remark(reply.finishReason) {
            description = "The reply is incomplete. \(remark)"
        } else if (try? JSONValue(parsing: reply.message.text)) == nil {
            // Servers neither need to hold replies to a schema nor say which text ended them.
            description =
                reply.info.stopString == nil
                ? "The reply is not the JSON of the schema. The model was not held to it, or a text given with --stop ended it."
                : "The reply is incomplete. It contained a text given with --stop."
        } else {
            return nil
        }
    }
}
