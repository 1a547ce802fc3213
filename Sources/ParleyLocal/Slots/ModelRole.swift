// SPDX-License-Identifier: Apache-2.0

public import ParleyModels

/// What a loaded model is for.
public enum ModelRole: String, Sendable, Hashable, CaseIterable, Codable {
    /// Conversations in text.
    case text
    /// Conversations with images.
    case vision

    /// What a model must be able to do for it.
    public var needs: ModelCapabilities {
        switch self {
        case .text: .chat
        case .vision: [.chat, .vision]
        }
    }
}
