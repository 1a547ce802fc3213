// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// What all parts of an answer to a request for continued texts have in common.
struct TextAnswer: ReplyAnswer {
    private let request: TextCompletionRequest
    private let template: TextCompletion
    let record: RequestRecord

    init(_ request: TextCompletionRequest, model: ServedModel, record: RequestRecord, date: Date = Date()) {
        self.request = request
        self.record = record
        template = TextCompletion(
            CompletionHead(
                id: "cmpl-" + record.id.dropFirst(4), created: Int(date.timeIntervalSince1970), model: request.model,
                systemFingerprint: model.fingerprint),
            choices: [])
    }

    func json(_ completions: [MessageCompletion]) throws -> JSONValue {
        var answer = template
        answer.choices = completions.enumerated().map(choice)
        answer.usage = completions.enumerated().reduce(GenerationStats.nothing) { sum, one in
            guard let stats = one.element.stats else { return sum }
            return sum.adding(stats, sharesPrompt: one.offset % request.choices != 0)
        }
        answer.others = ReplyFacts.members(completions)
        return answer.json
    }

    private func choice(_ index: Int, _ completion: MessageCompletion) -> TextCompletion.Choice {
        let known = request.echo ? completion.info.prompt.probabilities ?? [] : []
        let logprobs = request.options.likelyTokens.map { _ in
            let own = completion.info.probabilities ?? []
            let skipped = known.isEmpty && request.echo ? echoed(completion) : 0
            return TextCompletion.logprobs(known + own, offset: skipped, hasStart: !known.isEmpty)
        }
        return TextCompletion.Choice(
            index: index, text: completion.message.text, finishReason: completion.finishReason,
            stopString: completion.info.stopString, logprobs: logprobs ?? .null)
    }

    private func echoed(_ completion: MessageCompletion) -> Int {
        if case .text(let text)? = completion.message.content.first { text.unicodeScalars.count } else { 0 }
    }

    var form: any StreamForm {
        TextStreamForm(
            template, includesUsage: request.includesUsage, echoes: request.echo, copies: request.choices)
    }
}

/// The form of `/v1/completions`.
struct TextStreamForm: StreamForm {
    /// What all parts have in common.
    private let template: TextCompletion
    private let includesUsage: Bool
    private let echoes: Bool
    private let copies: Int
    private var usage: GenerationStats?
    private var waiting: [Int: [TokenProbability]] = [:]
    /// How many characters of each text have been told.
    private var told: [Int: Int] = [:]
    /// The texts of whose prompt nothing has been told yet.
    private var started: Set<Int> = []

    /// Creates a form.
    ///
    /// - Parameters:
    ///   - template: what all parts have in common.
    ///   - includesUsage: whether the number of tokens used was asked for.
    ///   - echoes: whether texts begin with their prompts.
    ///   - copies: how many texts have the same prompt.
    init(_ template: TextCompletion, includesUsage: Bool, echoes: Bool, copies: Int) {
        self.template = template
        self.includesUsage = includesUsage
        self.echoes = echoes
        self.copies = max(copies, 1)
    }

    mutating func begin(choice: Int) -> [StreamEvent] { [] }

    mutating func add(_ probabilities: [TokenProbability], choice: Int) {
        waiting[choice, default: []] += probabilities
    }

    mutating func part(for response: MessageResponse, choice: Int) -> [StreamEvent] {
        guard case .chunk(let text) = response else { return [] }
        return [StreamEvent(json(.init(index: choice, text: text, logprobs: logprobs(choice, text))))]
    }

    mutating func end(_ completion: MessageCompletion, choice: Int) -> [StreamEvent] {
        if let stats = completion.stats {
            usage = (usage ?? .nothing).adding(stats, sharesPrompt: choice % copies != 0)
        }
        let last = TextCompletion.Choice(
            index: choice, text: "", finishReason: completion.finishReason, stopString: completion.info.stopString,
            logprobs: logprobs(choice, ""))
        return [StreamEvent(json(last, others: ReplyFacts.members([completion])))]
    }

    func finish() -> [StreamEvent] {
        let end = StreamEvent(data: ChatCompletionChunk.end)
        guard includesUsage, let usage else { return [end] }
        var part = template
        part.usage = usage
        return [StreamEvent(part.json), end]
    }

    private mutating func logprobs(_ choice: Int, _ text: String) -> JSONValue {
        let offset = told[choice, default: 0]
        told[choice] = offset + text.unicodeScalars.count
        guard let known = waiting.removeValue(forKey: choice) else { return .null }
        return TextCompletion.logprobs(known, offset: offset, hasStart: echoes && started.insert(choice).inserted)
    }

    private func json(_ choice: TextCompletion.Choice, others: JSONObject = [:]) -> JSONValue {
        var part = template
        part.choices = [choice]
        part.others = others
        guard includesUsage, case .object(var members) = part.json else { return part.json }
        members["usage"] = .null
        return .object(members)
    }
}
