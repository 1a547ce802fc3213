// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// How much a model should reason before it answers.
public enum ReasoningEffort: String, Hashable, Sendable, CaseIterable {
    /// No reasoning.
    case none
    /// At most 128 tokens of reasoning.
    case minimal
    /// At most 512 tokens of reasoning.
    case low
    /// At most 2,048 tokens of reasoning.
    case medium
    /// At most 8,192 tokens of reasoning.
    case high
    /// Reasoning without a limit.
    case xhigh
    /// The same.
    case max

    /// Whether the model should reason at all.
    public var mode: ReasoningMode { self == .none ? .off : .on }

    /// The maximum number of reasoning tokens; nil for no limit.
    public var maxTokens: Int? {
        switch self {
        case .none: 0
        case .minimal: 128
        case .low: 512
        case .medium: 2_048
        case .high: 8_192
        case .xhigh, .max: nil
        }
    }
}
