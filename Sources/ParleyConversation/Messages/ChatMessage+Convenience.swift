// SPDX-License-Identifier: Apache-2.0

extension ChatMessage {
    /// A system message of one text.
    public static func system(_ text: String) -> ChatMessage {
        ChatMessage(role: .system, content: [.text(text)])
    }

    /// A user's message of one text.
    public static func user(_ text: String) -> ChatMessage {
        ChatMessage(role: .user, content: [.text(text)])
    }

    /// A model's message of one text.
    public static func assistant(_ text: String) -> ChatMessage {
        ChatMessage(role: .assistant, content: [.text(text)])
    }

    /// The result of a function, as the answer to the model's call.
    public static func functionResult(_ text: String, for call: FunctionCall) -> ChatMessage {
        ChatMessage(role: .tool, content: [.text(text)], functionCallID: call.id, name: call.name)
    }

    /// The texts of the content, joined.
    public var text: String {
        content.reduce(into: "") { text, part in
            if case .text(let piece) = part { text += piece }
        }
    }

    /// Whether the message has neither content nor reasoning nor calls.
    public var isEmpty: Bool {
        let saysNothing = content.allSatisfy { $0 == .text("") }
        return saysNothing && (reasoningContent ?? "").isEmpty && (functionCalls ?? []).isEmpty
    }
}
