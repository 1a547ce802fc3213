// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends the process in good order when another program or the terminal asks for it (SIGTERM, SIGHUP): the terminal gets
/// its settings back, and what is to be saved is saved. A second signal, or the end of ``patience``, ends it at once.
final class OrderlyExit: Sendable {
    /// How long saving may take.
    static let patience = Duration.seconds(10)

    private let restore: @Sendable () -> Void
    private let save: @Sendable () async -> Void
    private let hasBegun = Atomic(false)
    private let watches = Mutex<[SignalWatch]>([])

    /// Begins to handle the signals, until the process ends.
    ///
    /// - Parameters:
    ///   - restore: gives the terminal its settings back; called at once, and again for each signal.
    ///   - save: saves what is to be kept.
    init(restore: @escaping @Sendable () -> Void, save: @escaping @Sendable () async -> Void = {}) {
        (self.restore, self.save) = (restore, save)
        let watching = [SIGTERM, SIGHUP].map { number in SignalWatch(number) { self.end(number) } }
        watches.withLock { $0 = watching }
    }

    private func end(_ number: Int32) {
        // Who waits for the terminal in the background would stop this process again before all is saved.
        signal(SIGTTIN, SIG_IGN)
        restore()
        guard !hasBegun.exchange(true, ordering: .relaxed) else { SignalWatch.exit(for: number) }
        Task {
            await save()
            SignalWatch.exit(for: number)
        }
        Task {
            try? await Task.sleep(for: Self.patience)
            SignalWatch.exit(for: number)
        }
    }
}
