// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyRuntime
import ParleyTokenizer
import Synchronization

/// Follows a reply token by token: sorts its text into parts, keeps its answer to the rule, and closes reasoning when
/// its budget is spent.
///
/// Routing and constraining go together, because where the reply has come to says what may follow.
final class ReplyGuide: TokenConstraint {
    /// A leaf lock, never contended: the decode loop and the reader of the parts take turns.
    private let state: Mutex<ReplyState>

    init(_ state: ReplyState) {
        self.state = Mutex(state)
    }

    func allow(into mask: inout TokenMask) -> Bool {
        state.withLock { $0.allow(into: &mask) }
    }

    func accept(_ token: TokenID) {
        state.withLock { $0.accept(token) }
    }

    /// Why it could not be found out what may come next, where that is why the reply has ended.
    var failure: ConstraintError? { state.withLock { $0.failure } }

    var isComplete: Bool { state.withLock { $0.isComplete } }

    /// What has come since this was last asked.
    func takeParts() -> [ResponsePart] {
        state.withLock { $0.takeParts() }
    }

    /// Ends the reply.
    ///
    /// - Returns: what was held back, the text as the model wrote it, and how many tokens were reasoning.
    func finish(
        _ reason: ParleyConversation.FinishReason
    ) -> (parts: [ResponsePart], rawOutput: String, reasoningTokens: Int) {
        state.withLock { $0.finish(reason) }
    }
}
