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
            id: "cmpl-" + record.id.dropFirst(4), created: Int(date.timeIntervalSince1970), model: request.model,
            choices: [], systemFingerprint: model.fingerprint)
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
