// SPDX-License-Identifier: Apache-2.0

extension Generation {
    /// Why a generation ended.
    package enum FinishReason: String, Sendable, Hashable {
        /// The model ended its turn, or the caller ended the reply.
        case stop
        /// The budget of new tokens was spent.
        case length
        /// The context is full.
        case contextFull
        /// The task was cancelled; what was produced is kept.
        case cancelled
        /// The deadline passed; what was produced is kept.
        case timeout
        /// No token is left that the constraint allows.
        case constraint
    }
}
