// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// What all parts of an answer to a request of `/v1/messages` have in common.
struct AnthropicAnswer: ReplyAnswer {
    private let writer: AnthropicWriter
    let record: RequestRecord

    init(_ request: AnthropicRequest, record: RequestRecord) {
        writer = AnthropicWriter(id: String(record.id.dropFirst(4)), model: request.chat.model)
        self.record = record
    }

    func json(_ completions: [MessageCompletion]) throws -> JSONValue {
        guard let completion = completions.first else { throw ServerError.failed }
        return writer.message(completion, others: ReplyFacts.parley(completions))
    }

    var form: any StreamForm { AnthropicStreamForm(writer: writer) }
}

/// The form of `/v1/messages`.
struct AnthropicStreamForm: StreamForm {
    private var writer: AnthropicWriter

    init(writer: AnthropicWriter) {
        self.writer = writer
    }

    mutating func note(promptTokens: Int, choice: Int) { writer.promptTokens = promptTokens }

    mutating func begin(choice: Int) -> [StreamEvent] { Self.events(writer.begin()) }

    func add(_ probabilities: [TokenProbability], choice: Int) {}

    mutating func part(for response: MessageResponse, choice: Int) -> [StreamEvent] {
        Self.events(writer.events(for: response))
    }

    mutating func end(_ completion: MessageCompletion, choice: Int) -> [StreamEvent] {
        Self.events(writer.end(completion, others: ReplyFacts.parley([completion])))
    }

    mutating func fail(_ error: ServerError) -> [StreamEvent] {
        Self.events(writer.fail(error.error.message, status: error.status))
    }
}
