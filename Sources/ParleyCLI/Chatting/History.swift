// SPDX-License-Identifier: Apache-2.0

/// A conversation: a system prompt and turns, each of which begins with a user's message.
package struct History: Sendable, Hashable {
    /// What the model should be and do.
    package var system: String?
    /// The messages of users and the model, oldest first.
    package private(set) var messages: [ChatMessage] = []

    /// Creates an empty conversation.
    package init(system: String? = nil) {
        self.system = system
    }

    /// Every message, the system prompt first.
    package var all: [ChatMessage] {
        (system.map { [ChatMessage(.system, $0)] } ?? []) + messages
    }

    /// How many turns there are.
    package var turnCount: Int { messages.count { $0.role == .user } }

    /// Adds a message.
    package mutating func append(_ role: ChatMessage.Role, _ content: String) {
        messages.append(ChatMessage(role, content))
    }

    /// Drops the last message.
    package mutating func removeLast() {
        if !messages.isEmpty { messages.removeLast() }
    }

    /// Drops the oldest turn: a user's message and what answered it.
    package mutating func removeFirstTurn() {
        let next = messages.dropFirst().firstIndex { $0.role == .user } ?? messages.endIndex
        messages.removeSubrange(..<next)
    }

    /// Drops every message; the system prompt stays.
    package mutating func clear() {
        messages = []
    }
}
