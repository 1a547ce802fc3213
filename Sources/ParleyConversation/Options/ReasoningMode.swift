// SPDX-License-Identifier: Apache-2.0

/// Whether a model reasons before it answers.
public enum ReasoningMode: Hashable, Sendable {
    /// As the model's template does by default.
    case automatic
    /// It reasons, where it can.
    case on
    /// It answers at once, where it can be told to.
    case off
}
