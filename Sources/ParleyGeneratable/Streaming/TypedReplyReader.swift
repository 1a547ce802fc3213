// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// Turns the events of a reply into those of a typed one.
struct TypedReplyReader<Value: Generatable> {
    private var prefix = JSONPrefix()

    /// Reads an event.
    ///
    /// - Throws: `ConversationError` where the reply has ended without the value.
    mutating func read(_ response: MessageResponse) throws -> [TypedResponse<Value>] {
        switch response {
        case .chunk(let text): return prefix.append(text).compactMap(Value.partial).map(TypedResponse.partial)
        case .reasoningChunk, .functionCall, .audioSample: return []
        case .complete(let completion):
            if completion.finishReason == .functionCall, let calls = completion.message.functionCalls {
                return [.functionCall(calls)]
            }
            return [.complete(try Self.value(of: completion), completion)]
        }
    }

    /// The value of a reply. Even a reply that was cut off may hold the whole value.
    static func value(of completion: MessageCompletion) throws -> Value {
        do {
            return try Value(parsing: completion.message.text)
        } catch {
            guard let reason = reason(completion) else { throw error }
            throw ConversationError(
                .generationFailed, "The reply ended before the \(Value.self) was complete: \(reason)", cause: error)
        }
    }

    /// Why a reply is incomplete, and what to do; nil where it ended by itself.
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
