// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// One message of a conversation.
package struct ChatMessage: Sendable, Hashable {
    /// Who speaks.
    package enum Role: String, Sendable {
        case system, user, assistant
    }

    /// Who speaks.
    package var role: Role
    /// What is said.
    package var content: String

    /// Creates a message.
    package init(_ role: Role, _ content: String) {
        self.role = role
        self.content = content
    }

    /// The message as templates expect it.
    package var json: JSONValue {
        ["role": .string(role.rawValue), "content": .string(content)]
    }
}
