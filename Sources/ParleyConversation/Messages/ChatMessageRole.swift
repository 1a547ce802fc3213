// SPDX-License-Identifier: Apache-2.0

/// The author of a message.
public enum ChatMessageRole: String, Codable, Hashable, Sendable, CaseIterable {
    /// The app, with instructions for the whole conversation.
    case system
    /// The developer of an app, with instructions for the model. Where a model knows no such role, they are the system's.
    case developer
    /// The person who uses the app.
    case user
    /// The model.
    case assistant
    /// A function that the model called.
    case tool
}
