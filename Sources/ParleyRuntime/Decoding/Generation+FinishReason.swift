// SPDX-License-Identifier: Apache-2.0

extension Generation {
    /// The reason for which a generation ended.
    package enum FinishReason: String, Sendable, Hashable {
        /// The model ended its turn, or the caller ended the reply.
        case stop
        /// The maximum number of new tokens was reached.
        case length
        /// The context is full.
        case contextFull
        /// The task was cancelled; the tokens generated so far are kept.
        case cancelled
        /// The deadline passed; the tokens generated so far are kept.
        case timeout
        /// The constraint allows no further token.
        case constraint
    }
}
