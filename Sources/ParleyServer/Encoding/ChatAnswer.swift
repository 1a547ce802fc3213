// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// What all parts of an answer have in common.
protocol ReplyAnswer: Sendable {
    /// What is logged of the request.
    var record: RequestRecord { get }

    /// The whole answer.
    ///
    /// - Throws: ``OpenAIError``.
    func json(_ completions: [MessageCompletion]) throws -> JSONValue

    /// What writes the parts of a streamed answer.
    var form: any StreamForm { get }
}

/// What all parts of an answer to a chat request have in common.
struct ChatAnswer: ReplyAnswer {
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

    func json(_ completions: [MessageCompletion]) throws -> JSONValue {
        let stats = completions.compactMap(\.stats)
        let usage = stats.dropFirst().reduce(stats.first) { $0?.adding($1, sharesPrompt: true) }
        return try ChatCompletion(
            CompletionHead(
                id: id, created: created, model: chat.model, usage: usage, systemFingerprint: model.fingerprint,
                others: ReplyFacts.members(completions)),
            choices: completions.enumerated().map { ChatCompletion.Choice($1, index: $0) }
        ).json()
    }

    var form: any StreamForm {
        ChatStreamForm(
            ChatCompletionStreamWriter(
                id: id, created: created, model: chat.model, systemFingerprint: model.fingerprint,
                includesUsage: chat.includesUsage))
    }
}

/// The form of `/v1/chat/completions`.
struct ChatStreamForm: StreamForm {
    private var writer: ChatCompletionStreamWriter

    init(_ writer: ChatCompletionStreamWriter) {
        self.writer = writer
    }

    mutating func begin(choice: Int) -> [StreamEvent] { [StreamEvent(writer.begin(choice: choice).json)] }

    mutating func add(_ probabilities: [TokenProbability], choice: Int) { writer.add(probabilities, choice: choice) }

    mutating func part(for response: MessageResponse, choice: Int) -> [StreamEvent] {
        writer.chunk(for: response, choice: choice).map { [StreamEvent($0.json)] } ?? []
    }

    mutating func end(_ completion: MessageCompletion, choice: Int) -> [StreamEvent] {
        guard var chunk = writer.chunk(for: .complete(completion), choice: choice) else { return [] }
        chunk.others = ReplyFacts.members([completion])
        return [StreamEvent(chunk.json)]
    }

    func finish() -> [StreamEvent] {
        (writer.finish().map { [StreamEvent($0.json)] } ?? []) + [StreamEvent(data: ChatCompletionChunk.end)]
    }
}
