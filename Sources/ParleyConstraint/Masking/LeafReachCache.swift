// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Remembers what leaves reach, up to a limit.
final class LeafReachCache: Sendable {
    struct Key: Hashable {
        var automaton: ObjectIdentifier
        var state: Int32
        var counts: Bool
        var tellsStates: Bool
    }

    private struct Contents {
        var reaches: [Key: LeafReach] = [:]
        var size = 0
    }

    private let contents = Mutex(Contents())
    private let tokenLimit: Int

    init(tokenLimit: Int) {
        self.tokenLimit = tokenLimit
    }

    func reach(_ key: Key, build: () -> LeafReach) -> LeafReach {
        if let known = contents.withLock({ $0.reaches[key] }) { return known }
        // Two threads may build the same; either serves.
        let reach = build()
        contents.withLock { contents in
            if contents.size + reach.size > tokenLimit {
                contents.reaches.removeAll()
                contents.size = 0
            }
            contents.reaches[key] = reach
            contents.size += reach.size
        }
        return reach
    }
}
