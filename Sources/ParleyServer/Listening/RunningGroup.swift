// SPDX-License-Identifier: Apache-2.0

import ServiceLifecycle
import Synchronization

/// The services of a server that runs, so that they can be ended.
final class RunningGroup: Sendable {
    /// No other lock is taken while this one is held.
    private let current = Mutex<ServiceGroup?>(nil)

    /// The services; nil before the server runs.
    var group: ServiceGroup? { current.withLock { $0 } }

    /// Keeps the services.
    func set(_ group: ServiceGroup) { current.withLock { $0 = group } }
}
