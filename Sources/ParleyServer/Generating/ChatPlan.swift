// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyFiles
import ParleyJSON
import ParleyOpenAI

extension ReplyPlan {
    /// Plans the replies to a request of `/v1/chat/completions`.
    ///
    /// - Parameters:
    ///   - chat: the request.
    ///   - client: who sent it.
    ///   - conversation: a name that the client gives the conversation; nil if it gives none.
    ///   - limits: how long a reply may take.
    init(
        _ chat: ChatCompletionRequest, client: RequestGuard.Client, conversation: String?, limits: ServerLimits
    ) {
        var request = GenerationRequest(chat)
        request.options.timeout = request.options.timeout ?? limits.requestTime
        request.options.schemaTimeout = limits.schemaTime
        // Without a name the conversation is known by how it begins, which stays the same from turn to turn.
        let name = conversation ?? chat.cacheKey ?? Self.beginning(of: chat.messages)
        request.conversationID = ConversationID(of: ["\(client.identity)", chat.model, name])
        request.cacheScope = client.identity
        self.init(
            request: request, choices: chat.choices,
            requirement: { try chat.requireSupport(for: ChatCompletionRequest.Features($0)) },
            allowsSeveralCalls: chat.parallelCalls ?? true)
    }

    /// The texts of the messages up to the first of the user.
    private static func beginning(of messages: [ChatMessage]) -> String {
        let end = messages.firstIndex { $0.role == .user } ?? 0
        return messages.prefix(end + 1).map(\.text).joined(separator: "\u{0}")
    }

}

extension ConversationID {
    /// The conversation that these words name.
    init(of parts: [String]) {
        let digest = SHA256Hash.digest(of: Data(parts.joined(separator: "\u{1}").utf8))
        let id = digest.prefix(16).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
        self.init(rawValue: UUID(uuid: id))
    }
}
