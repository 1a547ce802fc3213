// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON

/// Creates the chunks of one streamed response, which may contain several replies.
///
/// The chunks of a reply are, in this order: its role; text, reasoning and calls as they arrive; why it ended. After
/// all replies comes a chunk with the number of tokens used, if requested; the caller then sends
/// ``ChatCompletionChunk/end``.
public struct ChatCompletionStreamWriter: Sendable {
    private let id: String
    private let created: Int
    private let model: String
    private let systemFingerprint: String?
    private let includesUsage: Bool
    /// How many calls each reply contains so far.
    private var callCounts: [Int: Int] = [:]
    private var usage: GenerationStats?
    /// The probabilities of tokens that no chunk has told yet, by reply.
    private var probabilities: [Int: [TokenProbability]] = [:]

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - id: the response's id.
    ///   - created: the time at which the response is begun, in seconds since 1970.
    ///   - model: the name of the model that replies.
    ///   - systemFingerprint: identifies the model and software that reply, including their versions.
    ///   - includesUsage: whether the number of tokens used was requested.
    public init(
        id: String, created: Int, model: String, systemFingerprint: String? = nil, includesUsage: Bool = false
    ) {
        self.id = id
        self.created = created
        self.model = model
        self.systemFingerprint = systemFingerprint
        self.includesUsage = includesUsage
    }

    /// The first chunk of a reply.
    public func begin(choice: Int = 0) -> ChatCompletionChunk {
        chunk(.init(index: choice, role: .assistant, content: ""))
    }

    /// Adds probabilities of tokens, which the next chunk with text tells, or the last one.
    public mutating func add(_ probabilities: [TokenProbability], choice: Int = 0) {
        self.probabilities[choice, default: []] += probabilities
    }

    private mutating func logprobs(_ choice: Int) -> JSONValue {
        probabilities.removeValue(forKey: choice).map(LogprobForm.chat) ?? .null
    }

    /// Creates the chunk for an event of a reply.
    ///
    /// - Returns: the chunk; nil for audio, which chunks cannot contain.
    public mutating func chunk(for response: MessageResponse, choice: Int = 0) -> ChatCompletionChunk? {
        switch response {
        case .chunk(let text): return chunk(.init(index: choice, content: text, logprobs: logprobs(choice)))
        case .reasoningChunk(let text): return chunk(.init(index: choice, reasoning: text))
        case .functionCall(let calls):
            let first = callCounts[choice, default: 0]
            callCounts[choice] = first + calls.count
            let deltas = calls.enumerated().map { offset, call in
                ChatCompletionChunk.CallDelta(
                    index: first + offset, id: call.id, name: call.name,
                    arguments: JSONValue.object(call.arguments).text())
            }
            return chunk(.init(index: choice, calls: deltas))
        case .audioSample: return nil
        case .complete(let completion):
            // All replies share the prompt.
            if let stats = completion.stats { usage = usage?.adding(stats, sharesPrompt: true) ?? stats }
            return chunk(
                .init(
                    index: choice, finishReason: completion.finishReason, stopString: completion.info.stopString,
                    logprobs: logprobs(choice)))
        }
    }

    /// Creates the last chunk, with the number of tokens used by all replies.
    ///
    /// - Returns: the chunk; nil if it was not requested or the number is not known.
    public func finish() -> ChatCompletionChunk? {
        guard includesUsage, let usage else { return nil }
        return ChatCompletionChunk(
            id: id, created: created, model: model, deltas: [], usage: .known(usage),
            systemFingerprint: systemFingerprint)
    }

    private func chunk(_ delta: ChatCompletionChunk.Delta) -> ChatCompletionChunk {
        ChatCompletionChunk(
            id: id, created: created, model: model, deltas: [delta], usage: includesUsage ? .pending : .absent,
            systemFingerprint: systemFingerprint)
    }
}
