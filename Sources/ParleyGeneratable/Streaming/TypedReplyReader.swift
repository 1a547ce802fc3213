// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// Turns the events of a reply into those of a typed reply.
struct TypedReplyReader<Value: Generatable> {
    private var prefix = JSONPrefix()
    /// The end of the last chunk, which has not been looked at yet.
    private var rest = ""[...].utf8

    /// Processes an event. The partial values of a chunk are those that ``next()`` returns before the next event.
    ///
    /// - Returns: the event of the typed reply, unless it was a chunk.
    /// - Throws: `ConversationError` if the reply has ended without a complete value.
    mutating func read(_ response: MessageResponse) throws -> TypedResponse<Value>? {
        switch response {
        case .chunk(let text):
            rest = text[...].utf8
            return nil
        case .reasoningChunk, .functionCall, .audioSample: return nil
        case .complete(let completion):
            if completion.finishReason == .functionCall, let calls = completion.message.functionCalls {
                return .functionCall(calls)
            }
            return .complete(try Self.value(of: completion), completion)
        }
    }

    /// The next partial value, made when it is asked for: a chunk may complete many, each of which is as large as the
    /// reply.
    mutating func next() -> TypedResponse<Value>? {
        while let value = prefix.next(in: &rest) {
            if let partial = Value.partial(from: value) { return .partial(partial) }
        }
        return nil
    }

    /// Reads the value from a reply, which may be complete even if the reply was cut off.
    static func value(of completion: MessageCompletion) throws -> Value {
        let (text, reason) = (completion.message.text, reason(completion))
        // The beginning of a number is a number too, and no other value ends with a digit.
        if let reason, let last = text.utf8.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) {
            throw incomplete(reason)
        }
        do {
            return try Value(parsing: text)
        } catch {
            guard let reason else { throw error }
            throw incomplete(reason, cause: error)
        }
    }

    private static func incomplete(_ reason: String, cause: (any Error)? = nil) -> ConversationError {
        ConversationError(
            .generationFailed, "The reply ended before the \(Value.self) was complete: \(reason)", cause: cause)
    }

    /// Why a reply is incomplete, and what to do; nil if the model ended it.
    private static func reason(_ completion: MessageCompletion) -> String? {
        switch completion.finishReason {
        case .length:
            "its budget of tokens was spent. Raise maxTokens, or bound the texts and lists of the type with @Guide."
        case .contextFull:
            "the context is full. Shorten the conversation, or load the model with a larger context."
        case .cancelled: "it was cancelled."
        case .timeout: "its time was over. Raise the timeout."
        case .functionCall: "the model called a function. Answer the call, and ask for the value once more."
        case .constraint: "no token was left that the schema allows."
        case .stop: nil
        }
    }
}
