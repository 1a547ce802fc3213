// SPDX-License-Identifier: Apache-2.0

/// Carries a closure through the C entry point of a thread.
final class ThreadBody: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
