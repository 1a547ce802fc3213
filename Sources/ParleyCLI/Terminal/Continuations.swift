// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Counts how often this process went on after it was stopped. A shell has then written below what was drawn, and given
/// the terminal a mode of its own.
final class Continuations: Sendable {
    private struct State {
        var count = 0
        var restore: @Sendable () -> Void = {}
    }

    /// The only instance, because signals belong to the process.
    static let shared = Continuations()

    private let state = Mutex(State())
    private let watch = SignalWatch(SIGCONT) { Continuations.shared.goOn() }

    private init() {}

    /// How often this process went on.
    var count: Int { state.withLock { $0.count } }

    /// Sets what gives the terminal its mode again; it is done before the process is seen to go on.
    func restoring(_ restore: @escaping @Sendable () -> Void) { state.withLock { $0.restore = restore } }

    private func goOn() {
        let restore = state.withLock { $0.restore }
        restore()
        state.withLock { $0.count += 1 }
    }
}
