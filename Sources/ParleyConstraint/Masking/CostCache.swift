// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Remembers values that can be made again, as long as they take no more memory than is allowed; then it begins anew.
package final class CostCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Contents {
        var values: [Key: Value] = [:]
        var bytes = 0
    }

    /// A leaf lock: values are made outside, by two threads at once where both need one; either serves.
    private let contents = Mutex(Contents())
    private let limit: Int

    /// What an entry takes beside what it holds: its place in the table and the heads of its arrays.
    private static var overhead: Int { 256 }

    /// - Parameter limit: the bytes that all entries may take.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The value for a key, if it is known.
    package func value(for key: Key) -> Value? {
        contents.withLock { $0.values[key] }
    }

    /// Remembers a value.
    ///
    /// - Parameter bytes: what key and value hold.
    package func keep(_ value: Value, for key: Key, bytes: Int) {
        let bytes = bytes + Self.overhead
        guard bytes <= limit else { return }
        contents.withLock { contents in
            if contents.bytes + bytes > limit { contents = Contents() }
            // One that is known already is charged twice, which does no harm.
            contents.values[key] = value
            contents.bytes += bytes
        }
    }
}
