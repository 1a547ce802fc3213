// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// What all parts of an answer to a request of `/v1/responses` have in common.
struct ResponsesAnswer: ReplyAnswer {
    private let writer: ResponsesWriter
    let record: RequestRecord

    init(_ request: ResponsesRequest, record: RequestRecord, date: Date = Date()) {
        writer = ResponsesWriter(
            request, id: String(record.id.dropFirst(4)), created: Int(date.timeIntervalSince1970))
        self.record = record
    }

    func json(_ completions: [MessageCompletion]) throws -> JSONValue {
        guard let completion = completions.first else { throw ServerError.failed }
        return writer.response(completion, others: ReplyFacts.members(completions))
    }

    var form: any StreamForm { ResponsesStreamForm(writer: writer) }
}

/// The form of `/v1/responses`.
struct ResponsesStreamForm: StreamForm {
    private var writer: ResponsesWriter

    init(writer: ResponsesWriter) {
        self.writer = writer
    }

    mutating func begin(choice: Int) -> [StreamEvent] { Self.events(writer.begin()) }

    mutating func add(_ probabilities: [TokenProbability], choice: Int) { writer.add(probabilities) }

    mutating func part(for response: MessageResponse, choice: Int) -> [StreamEvent] {
        Self.events(writer.events(for: response))
    }

    mutating func end(_ completion: MessageCompletion, choice: Int) -> [StreamEvent] {
        Self.events(writer.end(completion, others: ReplyFacts.members([completion])))
    }

    mutating func fail(_ error: ServerError) -> [StreamEvent] { Self.events(writer.fail(error.error)) }
}
