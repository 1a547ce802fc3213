// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// How much a model is to reason before it answers.
public enum ReasoningEffort: String, Hashable, Sendable, CaseIterable {
    /// Not at all.
    case none
    /// As little as it can.
    case minimal
    /// Little.
    case low
    /// As much as is usual.
    case medium
    /// Much.
    case high
    /// As much as it wants.
    case xhigh

    /// Whether it reasons.
    public var mode: ReasoningMode { self == .none ? .off : .on }

    /// The most tokens of reasoning; nil for no bound.
    public var maxTokens: Int? {
        switch self {
        case .none: 0
        case .minimal: 128
        case .low: 512
        case .medium: 2_048
        case .high: 8_192
        case .xhigh: nil
        }
    }
}
