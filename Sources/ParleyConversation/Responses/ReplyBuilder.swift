// SPDX-License-Identifier: Apache-2.0

/// Assembles a message from the parts of a reply.
struct ReplyBuilder: Sendable {
    private var text = ""
    private var reasoning = ""
    private var calls: [FunctionCall] = []
    private var samples: [Float] = []
    private var sampleRate = 0
    private(set) var rejections: [FunctionCallRejection] = []

    /// Adds a part.
    ///
    /// - Returns: the event for the consumer, if any.
    mutating func append(_ part: ResponsePart) -> MessageResponse? {
        switch part {
        case .text(let piece):
            text += piece
            return piece.isEmpty ? nil : .chunk(piece)
        case .reasoning(let piece):
            reasoning += piece
            return piece.isEmpty ? nil : .reasoningChunk(piece)
        case .functionCalls(let new):
            calls += new
            return new.isEmpty ? nil : .functionCall(new)
        case .rejectedFunctionCall(let rejection):
            rejections.append(rejection)
            return nil
        case .audio(let new, let rate):
            samples += new
            sampleRate = rate
            return new.isEmpty ? nil : .audioSample(samples: new, sampleRate: rate)
        }
    }

    /// The message so far.
    func message(rawOutput: String?) -> ChatMessage {
        var content: [ChatMessageContent] = text.isEmpty ? [] : [.text(text)]
        if !samples.isEmpty { content.append(.audio(WAVFile.data(samples: samples, sampleRate: sampleRate))) }
        return ChatMessage(
            role: .assistant, content: content, reasoningContent: reasoning.isEmpty ? nil : reasoning,
            functionCalls: calls.isEmpty ? nil : calls, rawOutput: rawOutput == text ? nil : rawOutput)
    }

    /// The finish reason to report, given the runner's: `stop` becomes `functionCall` if the reply contains calls.
    func finishReason(_ reason: FinishReason) -> FinishReason {
        reason == .stop && !calls.isEmpty ? .functionCall : reason
    }
}
