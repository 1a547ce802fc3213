// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A cache that is emptied when its entries exceed a number of bytes.
package final class CostCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Contents {
        var values: [Key: Value] = [:]
        var bytes = 0
    }

    /// No other lock is taken while this one is held. Values are computed outside of it, so two threads may compute the
    /// same one.
    private let contents = Mutex(Contents())
    private let limit: Int

    /// The size in bytes of an entry in addition to its contents: its slot in the table and the headers of its arrays.
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
    ///   - bytes: The size of key and value in memory.
    package func keep(_ value: Value, for key: Key, bytes: Int) {
        let bytes = bytes + Self.overhead
        guard bytes <= limit else { return }
        contents.withLock { contents in
            if contents.bytes + bytes > limit { contents = Contents() }
            // A key that exists already is counted twice, which does no harm.
            contents.values[key] = value
            contents.bytes += bytes
        }
    }
}
