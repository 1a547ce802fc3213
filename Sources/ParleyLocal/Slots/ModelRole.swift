// SPDX-License-Identifier: Apache-2.0

/// What a loaded model is for.
public enum ModelRole: String, Sendable, Hashable, CaseIterable, Codable {
    /// Conversations in text.
    case text
    /// Conversations with images.
    case vision
}
