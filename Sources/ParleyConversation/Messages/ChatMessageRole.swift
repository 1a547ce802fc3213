// SPDX-License-Identifier: Apache-2.0

/// Who speaks in a message.
public enum ChatMessageRole: String, Codable, Hashable, Sendable, CaseIterable {
    /// The app: instructions for the whole conversation.
    case system
    /// The person.
    case user
    /// The model.
    case assistant
    /// A function that the model called.
    case tool
}
