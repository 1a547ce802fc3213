// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
package import ParleyJSON

/// Creates the events of one streamed response of `/v1/responses`, each with the next `sequence_number`, and the
/// response that they lead to.
///
/// The events of a response are, in this order: that it is begun; for its reasoning, its texts and its calls that an
/// item is added, its parts as they arrive, and that it is done; and last the whole response.
package struct ResponsesWriter: Sendable {
    /// The item whose parts are arriving.
    private struct OpenItem {
        var id: String
        var isReasoning: Bool
        var text = ""
        var probabilities: [JSONValue] = []
    }

    private let id: String
    private let created: Int
    private let repeated: JSONObject
    private var output: [JSONValue] = []
    private var open: OpenItem?
    private var waiting: [TokenProbability] = []
    private var number = 0

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - id: the response's id without its prefix, of which those of its items are made too.
    ///   - created: the time at which the response is begun, in seconds since 1970.
    package init(_ request: ResponsesRequest, id: String, created: Int) {
        self.id = id
        self.created = created
        repeated = request.repeated
    }

    /// The whole response to a request.
    ///
    /// - Parameters:
    ///   - completion: the reply.
    ///   - others: members that OpenAI's API does not define.
    /// - Returns: the response.
    package func response(_ completion: MessageCompletion, others: JSONObject = [:]) -> JSONValue {
        var writer = self
        let message = completion.message
        if let reasoning = message.reasoningContent, !reasoning.isEmpty {
            _ = writer.events(for: .reasoningChunk(reasoning))
        }
        writer.add(completion.info.probabilities ?? [])
        if !message.text.isEmpty { _ = writer.events(for: .chunk(message.text)) }
        if let calls = message.functionCalls { _ = writer.events(for: .functionCall(calls)) }
        return writer.end(completion, others: others).last?["response"] ?? .null
    }

    // MARK: - Events

    /// The first events.
    package mutating func begin() -> [JSONValue] {
        let response = response(status: "in_progress")
        return [
            event("response.created", ["response": response]), event("response.in_progress", ["response": response]),
        ]
    }

    /// Adds probabilities of tokens, which the next event with text tells.
    package mutating func add(_ probabilities: [TokenProbability]) {
        waiting += probabilities
    }

    /// The events for a piece of the reply.
    package mutating func events(for response: MessageResponse) -> [JSONValue] {
        switch response {
        case .chunk(let text): text.isEmpty ? [] : part(text, isReasoning: false)
        case .reasoningChunk(let text): text.isEmpty ? [] : part(text, isReasoning: true)
        case .functionCall(let calls): calls.reduce(into: close()) { $0 += self.events(for: $1) }
        case .audioSample, .complete: []
        }
    }

    /// The last events of a reply.
    package mutating func end(_ completion: MessageCompletion, others: JSONObject = [:]) -> [JSONValue] {
        let isCut: Bool =
            switch completion.finishReason {
            case .stop, .functionCall, .constraint: false
            case .length, .contextFull, .timeout, .cancelled: true
            }
        var events: [JSONValue] = []
        // Reasoning that was not cut led to a text, be it empty.
        if !isCut, open?.isReasoning == true { events += close() }
        if open == nil, output.allSatisfy({ $0["type"] == "reasoning" }) { events += self.open(isReasoning: false) }
        events += close(isCut ? "incomplete" : "completed")
        var members = others
        members["usage"] = completion.stats?.responsesUsage
        if isCut { members["incomplete_details"] = ["reason": "max_output_tokens"] }
        let status = isCut ? "incomplete" : "completed"
        events.append(event("response.\(status)", ["response": response(status: status, members)]))
        return events
    }

    /// The last events of a response that cannot be completed.
    ///
    /// - Parameter error: why it cannot be.
    /// - Returns: the events, with the first ones if they have not been told.
    package mutating func fail(_ error: OpenAIError) -> [JSONValue] {
        let events = number == 0 ? begin() : []
        let code = error.type == .rateLimit ? "rate_limit_exceeded" : error.type == .server ? "server_error" : nil
        let failure: JSONValue = ["code": .string(code ?? "invalid_prompt"), "message": .string(error.message)]
        return events + [event("response.failed", ["response": response(status: "failed", ["error": failure])])]
    }

    // MARK: - Items

    private mutating func part(_ text: String, isReasoning: Bool) -> [JSONValue] {
        var events: [JSONValue] = []
        if open?.isReasoning != isReasoning { events = close() + self.open(isReasoning: isReasoning) }
        guard var item = open else { return events }
        item.text += text
        var members: JSONObject = place(item.id)
        members["content_index"] = 0
        members["delta"] = .string(text)
        if !isReasoning {
            let told = probabilities()
            item.probabilities += told
            members["logprobs"] = .array(told)
        }
        open = item
        return events + [event("response.\(isReasoning ? "reasoning" : "output")_text.delta", members)]
    }

    private mutating func open(isReasoning: Bool) -> [JSONValue] {
        let item = OpenItem(id: "\(isReasoning ? "rs" : "msg")_\(id)_\(output.count)", isReasoning: isReasoning)
        open = item
        var added: JSONObject = place()
        added["item"] = Self.json(item, status: "in_progress", isAdded: true)
        var begun = place(item.id)
        begun["content_index"] = 0
        begun["part"] = Self.content(item)
        return [event("response.output_item.added", added), event("response.content_part.added", begun)]
    }

    /// Ends the open item, if there is one.
    private mutating func close(_ status: String = "completed") -> [JSONValue] {
        guard var item = open else { return [] }
        if !item.isReasoning { item.probabilities += probabilities() }
        var text = place(item.id)
        text["content_index"] = 0
        text["text"] = .string(item.text)
        if !item.isReasoning { text["logprobs"] = .array(item.probabilities) }
        var part = place(item.id)
        part["content_index"] = 0
        part["part"] = Self.content(item)
        let json = Self.json(item, status: status)
        var done = place()
        done["item"] = json
        let events = [
            event("response.\(item.isReasoning ? "reasoning" : "output")_text.done", text),
            event("response.content_part.done", part), event("response.output_item.done", done),
        ]
        output.append(json)
        open = nil
        return events
    }

    private mutating func events(for call: FunctionCall) -> [JSONValue] {
        let itemID = "fc_\(id)_\(output.count)"
        let arguments = JSONValue.object(call.arguments).text()
        func json(_ arguments: String, _ status: String) -> JSONValue {
            [
                "type": "function_call", "id": .string(itemID), "call_id": .string(call.id), "name": .string(call.name),
                "arguments": .string(arguments), "status": .string(status),
            ]
        }
        var (added, delta, whole, done) = (place(), place(itemID), place(itemID), place())
        added["item"] = json("", "in_progress")
        delta["delta"] = .string(arguments)
        whole["name"] = .string(call.name)
        whole["arguments"] = .string(arguments)
        done["item"] = json(arguments, "completed")
        let events = [
            event("response.output_item.added", added), event("response.function_call_arguments.delta", delta),
            event("response.function_call_arguments.done", whole), event("response.output_item.done", done),
        ]
        output.append(json(arguments, "completed"))
        return events
    }

    private mutating func probabilities() -> [JSONValue] {
        defer { waiting = [] }
        return waiting.isEmpty ? [] : LogprobForm.chat(waiting)["content"]?.array ?? []
    }

    // MARK: - JSON

    private mutating func event(_ type: String, _ members: JSONObject) -> JSONValue {
        defer { number += 1 }
        var all: JSONObject = ["type": .string(type), "sequence_number": .integer(number)]
        all.merge(members) { own, _ in own }
        return .object(all)
    }

    /// The members that say which item an event is about.
    private func place(_ item: String? = nil) -> JSONObject {
        var members: JSONObject = ["output_index": .integer(output.count)]
        members["item_id"] = item.map(JSONValue.string)
        return members
    }

    private func response(status: String, _ members: JSONObject = [:]) -> JSONValue {
        var response: JSONObject = [
            "id": .string("resp_" + id), "object": "response", "created_at": .integer(created),
            "status": .string(status), "background": false, "error": .null, "incomplete_details": .null,
        ]
        response.merge(repeated) { own, _ in own }
        response["output"] = .array(output)
        response.merge(members) { $1 }
        return .object(response)
    }

    private static func content(_ item: OpenItem) -> JSONValue {
        if item.isReasoning { return ["type": "reasoning_text", "text": .string(item.text)] }
        return [
            "type": "output_text", "text": .string(item.text), "annotations": [],
            "logprobs": .array(item.probabilities),
        ]
    }

    private static func json(_ item: OpenItem, status: String, isAdded: Bool = false) -> JSONValue {
        let content: JSONValue = isAdded ? [] : [content(item)]
        if item.isReasoning {
            return [
                "type": "reasoning", "id": .string(item.id), "summary": [], "content": content,
                "status": .string(status),
            ]
        }
        return [
            "type": "message", "id": .string(item.id), "status": .string(status), "role": "assistant",
            "content": content,
        ]
    }
}

extension GenerationStats {
    /// The numbers of tokens in the form of a response's `usage`.
    fileprivate var responsesUsage: JSONValue {
        [
            "input_tokens": .integer(promptTokens),
            "input_tokens_details": ["cached_tokens": .integer(cachedPromptTokens), "cache_write_tokens": 0],
            "output_tokens": .integer(completionTokens),
            "output_tokens_details": ["reasoning_tokens": .integer(reasoningTokens)],
            "total_tokens": .integer(totalTokens),
        ]
    }
}
