// SPDX-License-Identifier: Apache-2.0

public import ParleyModels

/// The purpose of a loaded model.
public enum ModelRole: String, Sendable, Hashable, CaseIterable, Codable {
    /// Text conversations.
    case text
    /// Conversations with images.
    case vision

    /// The capabilities that a model needs for the role.
    public var needs: ModelCapabilities {
        switch self {
        case .text: .chat
        case .vision: [.chat, .vision]
        }
    }
}
