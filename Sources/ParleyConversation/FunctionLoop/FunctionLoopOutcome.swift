// SPDX-License-Identifier: Apache-2.0

/// How a ``FunctionLoop`` ended.
public struct FunctionLoopOutcome: Sendable {
    /// Why a loop ends.
    public enum Reason: Hashable, Sendable {
        /// The model gave an answer without calls.
        case answered
        /// The model still called functions in its last round. These calls were not made.
        case roundLimit
        /// The time was spent.
        case timeLimit
        /// The reply was cut off; the completion's finish reason says why.
        case cutOff
    }

    /// Why it ended.
    public var reason: Reason
    /// The model's last reply, as far as it came; nil where there was none.
    public var completion: MessageCompletion?
    /// How many replies the model gave.
    public var rounds: Int
}
