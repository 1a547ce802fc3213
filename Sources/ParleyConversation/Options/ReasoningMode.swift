// SPDX-License-Identifier: Apache-2.0

/// Whether a model reasons before it answers.
public enum ReasoningMode: Hashable, Sendable {
    /// The default of the model's chat template.
    case automatic
    /// The model reasons, if it is able to.
    case on
    /// The model answers without reasoning, if its template supports that.
    case off
}
