// SPDX-License-Identifier: Apache-2.0

/// How a ``FunctionLoop`` ended.
public struct FunctionLoopOutcome: Sendable {
    /// Why a loop ends.
    public enum Reason: Hashable, Sendable {
        /// The model gave an answer without calls.
        case answered
        /// The model still called functions in its last round. These calls were not made.
        case roundLimit
        /// The time limit was reached.
        case timeLimit
        /// The reply was cut off; the completion's finish reason says why.
        case cutOff
    }

    /// Why it ended.
    public var reason: Reason
    /// The model's last reply, possibly incomplete; nil if there was none.
    public var completion: MessageCompletion?
    /// The number of replies of the model.
    public var rounds: Int
}
