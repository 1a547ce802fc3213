// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A cache of values that can be made again, up to a number of bytes; beyond it, the cache is emptied.
package final class CostCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Contents {
        var values: [Key: Value] = [:]
        var bytes = 0
    }

    /// No other lock is taken inside this one. Values are made outside; two threads may make the same one at once.
    private let contents = Mutex(Contents())
    private let limit: Int

    /// The bytes of an entry beside its contents: its place in the table and the headers of its arrays.
    private static var overhead: Int { 256 }

    /// Creates an empty cache.
    ///
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
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - bytes: What key and value take in memory.
    package func keep(_ value: Value, for key: Key, bytes: Int) {
        let bytes = bytes + Self.overhead
        guard bytes <= limit else { return }
        contents.withLock { contents in
            if contents.bytes + bytes > limit { contents = Contents() }
            // A key that is known already is charged twice, which does no harm.
            contents.values[key] = value
            contents.bytes += bytes
        }
    }
}
