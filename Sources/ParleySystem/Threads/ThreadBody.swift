// SPDX-License-Identifier: Apache-2.0

/// Passes a closure to a new thread through the C function that starts it.
final class ThreadBody: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
