// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON

/// Makes the chunks of a streamed answer from what replies go on with. One writer makes one answer, which may have
/// several replies.
///
/// Order, for each reply: its role; text, reasoning and calls as they come; why it ended. After all of them the cost,
/// where it is wanted; the caller then sends ``ChatCompletionChunk/end``.
public struct ChatCompletionStreamWriter: Sendable {
    private let id: String
    private let created: Int
    private let model: String
    private let systemFingerprint: String?
    private let includesUsage: Bool
    /// How many calls each reply has made.
    private var callCounts: [Int: Int] = [:]
    private var usage: GenerationStats?

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - id: the answer's name.
    ///   - created: when it is begun, in seconds since 1970.
    ///   - model: the model that replies.
    ///   - systemFingerprint: names what replies, down to the version.
    ///   - includesUsage: whether the cost is wanted.
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

    /// The chunk for an event of a reply.
    ///
    /// - Returns: nil for sound, which chunks do not hold.
    public mutating func chunk(for response: MessageResponse, choice: Int = 0) -> ChatCompletionChunk? {
        switch response {
        case .chunk(let text): return chunk(.init(index: choice, content: text))
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
            if let stats = completion.stats { add(stats) }
            return chunk(.init(index: choice, finishReason: completion.finishReason))
        }
    }

    /// The last chunk, with the cost of all replies.
    ///
    /// - Returns: nil where the cost is not wanted, or nobody knows it.
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

    /// Replies to one request share its prompt, which counts once.
    private mutating func add(_ stats: GenerationStats) {
        guard var sum = usage else {
            usage = stats
            return
        }
        sum.completionTokens += stats.completionTokens
        sum.reasoningTokens += stats.reasoningTokens
        usage = sum
    }
}
