// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
package import ParleyJSON
import ParleyOpenAI

/// Writes the parts of a streamed answer in an endpoint's form.
package protocol StreamForm: Sendable {
    /// The first part of a reply; nil if there is none.
    mutating func begin(choice: Int) -> JSONValue?

    /// Adds probabilities of tokens, which a later part tells.
    mutating func add(_ probabilities: [TokenProbability], choice: Int)

    /// The part for a piece of a reply; nil if there is none.
    mutating func part(for response: MessageResponse, choice: Int) -> JSONValue?

    /// The last part of a reply.
    mutating func end(_ completion: MessageCompletion, choice: Int) -> JSONValue?

    /// The last part of the answer, with the number of tokens used; nil if it is not wanted.
    func finish() -> JSONValue?
}

/// The form of `/v1/chat/completions`.
struct ChatStreamForm: StreamForm {
    private var writer: ChatCompletionStreamWriter

    init(_ writer: ChatCompletionStreamWriter) {
        self.writer = writer
    }

    mutating func begin(choice: Int) -> JSONValue? { writer.begin(choice: choice).json }

    mutating func add(_ probabilities: [TokenProbability], choice: Int) { writer.add(probabilities, choice: choice) }

    mutating func part(for response: MessageResponse, choice: Int) -> JSONValue? {
        writer.chunk(for: response, choice: choice)?.json
    }

    mutating func end(_ completion: MessageCompletion, choice: Int) -> JSONValue? {
        var chunk = writer.chunk(for: .complete(completion), choice: choice)
        chunk?.others = ReplyFacts.members([completion])
        return chunk?.json
    }

    func finish() -> JSONValue? { writer.finish()?.json }
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

    mutating func begin(choice: Int) -> JSONValue? { nil }

    mutating func add(_ probabilities: [TokenProbability], choice: Int) {
        waiting[choice, default: []] += probabilities
    }

    mutating func part(for response: MessageResponse, choice: Int) -> JSONValue? {
        guard case .chunk(let text) = response else { return nil }
        return json(.init(index: choice, text: text, logprobs: logprobs(choice, text)))
    }

    mutating func end(_ completion: MessageCompletion, choice: Int) -> JSONValue? {
        if let stats = completion.stats {
            usage = (usage ?? .nothing).adding(stats, sharesPrompt: choice % copies != 0)
        }
        return json(
            .init(
                index: choice, text: "", finishReason: completion.finishReason,
                stopString: completion.info.stopString, logprobs: logprobs(choice, "")),
            others: ReplyFacts.members([completion]))
    }

    func finish() -> JSONValue? {
        guard includesUsage, let usage else { return nil }
        var part = template
        part.usage = usage
        return part.json
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

extension GenerationStats {
    /// No tokens.
    static let nothing = GenerationStats(promptTokens: 0, completionTokens: 0)

    /// The sum with those of another reply, whose prompt is not counted where it is the same.
    func adding(_ other: GenerationStats, sharesPrompt: Bool) -> GenerationStats {
        var sum = self
        if !sharesPrompt {
            sum.promptTokens += other.promptTokens
            sum.cachedPromptTokens += other.cachedPromptTokens
        }
        sum.completionTokens += other.completionTokens
        sum.reasoningTokens += other.reasoningTokens
        return sum
    }
}
