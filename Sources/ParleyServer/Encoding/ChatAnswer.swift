// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// What all parts of an answer to a chat request have in common.
struct ChatAnswer: Sendable {
    private let chat: ChatCompletionRequest
    private let model: ServedModel
    private let id: String
    private let created: Int
    /// What is logged of the request.
    let record: RequestRecord

    init(chat: ChatCompletionRequest, model: ServedModel, record: RequestRecord, date: Date = Date()) {
        self.chat = chat
        self.model = model
        self.record = record
        id = "chatcmpl-" + record.id.dropFirst(4)
        created = Int(date.timeIntervalSince1970)
    }

    /// The whole answer.
    ///
    /// - Throws: ``OpenAIError``.
    func json(_ completions: [MessageCompletion]) throws(OpenAIError) -> JSONValue {
        var usage = completions.first?.stats
        for stats in completions.dropFirst().compactMap(\.stats) {
            usage?.completionTokens += stats.completionTokens
            usage?.reasoningTokens += stats.reasoningTokens
        }
        return try ChatCompletion(
            id: id, created: created, model: chat.model,
            choices: completions.enumerated().map { index, completion in
                ChatCompletion.Choice(
                    index: index, message: completion.message, finishReason: completion.finishReason)
            }, usage: usage, systemFingerprint: model.fingerprint, others: ReplyFacts.members(completions)
        ).json()
    }

    /// What writes the parts of a streamed answer.
    func encoder(silence: Duration) -> ChatStreamEncoder {
        ChatStreamEncoder(
            ChatCompletionStreamWriter(
                id: id, created: created, model: chat.model, systemFingerprint: model.fingerprint,
                includesUsage: chat.includesUsage),
            silence: silence, now: .now)
    }
}
