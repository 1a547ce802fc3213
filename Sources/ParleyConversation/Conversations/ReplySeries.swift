// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Several replies of one conversation between which no other request comes, such as the rounds of a ``FunctionLoop``.
///
/// It begins with its first request whose turn comes; ``Conversation/end(_:)`` ends it.
final class ReplySeries: Sendable {
    private let isStopped = Atomic<Bool>(false)

    /// Whether it was asked to end, so that the next request waits for that instead of being refused.
    var isStopping: Bool { isStopped.load(ordering: .relaxed) }

    func stop() { isStopped.store(true, ordering: .relaxed) }
}
