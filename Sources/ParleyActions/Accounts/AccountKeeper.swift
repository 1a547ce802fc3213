// SPDX-License-Identifier: Apache-2.0

/// Keeps accounts synchronised while a program runs: at its start, after each change, and now and then.
///
/// Nobody waits for it unless they ask: what a server does not get now, it gets at the next synchronisation.
package actor AccountKeeper {
    private let names: [String]
    private let interval: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let synchronisation: @Sendable (String) async throws -> AccountReport
    private var running: Task<Void, Never>?
    private var isWanted = false
    private var began: ContinuousClock.Instant?
    /// The number of changes so far, and of those that were there when the last synchronisation began.
    private var (changes, covered) = (0, 0)
    private var remarks: [String] = []
    /// What the last report of each account told.
    private var told: [String: Set<String>] = [:]

    /// Creates a keeper of accounts.
    package init(_ accounts: [Account], in folders: AccountFolders, interval: Duration = .seconds(120)) {
        let known = Dictionary(accounts.map { ($0.name, $0) }) { first, _ in first }
        self.init(accounts.map(\.name), interval: interval) { name in
            guard let account = known[name] else { return AccountReport(account: name) }
            return try await AccountSync(account, in: folders).run(looksForNew: false)
        }
    }

    /// Creates a keeper.
    ///
    /// - Parameters:
    ///   - names: the names of the accounts.
    ///   - interval: the time after which ``refresh()`` synchronises again.
    ///   - now: returns the time.
    ///   - synchronisation: synchronises the account of a name.
    package init(
        _ names: [String], interval: Duration = .seconds(120),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        synchronisation: @escaping @Sendable (String) async throws -> AccountReport
    ) {
        (self.names, self.interval, self.now) = (names, interval, now)
        self.synchronisation = synchronisation
    }

    /// Begins a synchronisation, or another one after that which runs.
    package func synchronise() {
        guard !names.isEmpty else { return }
        isWanted = true
        guard running == nil else { return }
        running = Task { await self.run() }
    }

    /// Synchronises what was changed here.
    package func change() {
        changes += 1
        synchronise()
    }

    /// Synchronises if that was some time ago.
    package func refresh() {
        guard running == nil, began.map({ now() - $0 >= interval }) ?? true else { return }
        synchronise()
    }

    /// Whether something that was changed here may be sent by the synchronisation that runs.
    package var isSending: Bool { running != nil && changes > covered }

    /// Waits until nothing is left to do, or the time is over.
    ///
    /// - Returns: whether nothing is left to do.
    @discardableResult
    package func settle(within limit: Duration) async -> Bool {
        guard let running else { return true }
        let (over, continuation) = AsyncStream<Never>.makeStream()
        // A task group would wait for both.
        Task {
            await running.value
            continuation.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            continuation.finish()
        }
        for await _ in over {}
        timer.cancel()
        return self.running == nil
    }

    /// Ends what runs. What it did not come to is done at the next start.
    package func stop() {
        isWanted = false
        running?.cancel()
    }

    /// What the user should know since this was asked last.
    package func takeRemarks() -> [String] {
        defer { remarks = [] }
        return remarks
    }

    private func run() async {
        while isWanted, !Task.isCancelled {
            isWanted = false
            began = now()
            let covering = changes
            for name in names {
                guard let report = try? await synchronisation(name) else { break }
                note(report)
            }
            covered = covering
        }
        running = nil
    }

    private func note(_ report: AccountReport) {
        let lines = report.problemLines + report.warnings
        // Trouble that lasts is told once.
        let last = told.updateValue(Set(lines), forKey: report.account) ?? []
        remarks += lines.filter { !last.contains($0) }
    }
}
