// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyConversation

/// A reply of a chat that can be generated again.
package struct KeptReply: Sendable {
    /// The message.
    package let message: UUID
    /// What it was made of.
    package let receipt: ReplyReceipt
    /// The options that generate it again.
    private let options: GenerationOptions

    /// What its model is given to generate it again: the very tokens of its prompt.
    package var prompt: KeptPrompt {
        KeptPrompt(
            tokens: receipt.promptTokens, startsInsideReasoning: receipt.startsInsideReasoning,
            functions: receipt.rule?.functions ?? [], options: options)
    }

    /// The replies behind a message: one, or several where the web was searched or tools were used.
    ///
    /// - Parameter node: the message as its chat keeps it.
    /// - Returns: the replies in the order in which they were generated, at least one.
    /// - Throws: ``AssistantError`` with code `itemNotFound` if it was not kept how one was made.
    package static func replies(of node: ChatNode) throws(AssistantError) -> [KeptReply] {
        guard let last = node.receipt else {
            throw AssistantError(
                .itemNotFound, "It was not kept what the reply was made of, so it cannot be made again.")
        }
        var replies: [KeptReply] = []
        for receipt in node.earlierReceipts + [last] { replies.append(try KeptReply(node.id, receipt)) }
        return replies
    }

    private init(_ message: UUID, _ receipt: ReplyReceipt) throws(AssistantError) {
        guard let options = receipt.options else {
            throw AssistantError(
                .itemNotFound,
                receipt.images > 0
                    ? "The prompt of the reply had images, of which the place is not kept."
                    : "What was kept of the reply is not complete, so it cannot be made again.")
        }
        (self.message, self.receipt, self.options) = (message, receipt, options)
    }
}
