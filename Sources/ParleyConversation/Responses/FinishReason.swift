// SPDX-License-Identifier: Apache-2.0

/// Why a generation ended.
public enum FinishReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// The model ended its turn, or a stop string occurred.
    case stop
    /// The budget of new tokens was spent.
    case length
    /// The context is full.
    case contextFull
    /// It was cancelled; what was produced is kept.
    case cancelled
    /// The deadline passed; what was produced is kept.
    case timeout
    /// The model ended its turn by calling functions.
    case functionCall
    /// The constraint allowed no further token although it was not satisfied. A reply that satisfies it ends with
    /// ``stop``.
    case constraint
}
