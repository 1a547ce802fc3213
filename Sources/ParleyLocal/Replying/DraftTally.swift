// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Synchronization

/// Counts the tokens that the replies of a model have drafted.
final class DraftTally: Sendable {
    /// No other lock is taken while this one is held.
    private let state = Mutex((made: 0, right: 0))

    /// How many tokens were drafted, and how many of these were right.
    var drafts: (made: Int, right: Int) { state.withLock { $0 } }

    /// Counts the drafts of a reply that has ended.
    func add(_ generation: Generation) {
        state.withLock { drafts in
            drafts.made += generation.guesses.made
            drafts.right += generation.guesses.right
        }
    }
}
