// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A container in which a callback can store a value.
final class ConformanceBox<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
