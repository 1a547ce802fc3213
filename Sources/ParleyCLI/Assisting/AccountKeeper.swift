// SPDX-License-Identifier: Apache-2.0

import ParleyActions
import ParleyAssistant

/// Keeps accounts synchronised while the assistant runs: at its start, and after each change.
///
/// It never makes anybody wait for long: what a server does not get now, it gets at the next synchronisation.
actor AccountKeeper {
    private let accounts: [Account]
    private let folders: AccountFolders
    private var running: Task<Void, Never>?
    private var isWanted = false
    private var remarks: [String] = []
    private var told: Set<String> = []

    init(_ accounts: [Account], in folders: AccountFolders) {
        (self.accounts, self.folders) = (accounts, folders)
    }

    /// Begins a synchronisation, or another one after that which runs.
    func synchronise() {
        guard !accounts.isEmpty else { return }
        isWanted = true
        guard running == nil else { return }
        running = Task { await self.run() }
    }

    /// Waits until nothing is left to do, or the time is over.
    func settle(within limit: Duration) async {
        guard let running else { return }
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
    }

    /// Ends what runs. What it did not come to is done at the next start.
    func stop() {
        isWanted = false
        running?.cancel()
    }

    /// What the user should know since this was asked last.
    func takeRemarks() -> [String] {
        defer { remarks = [] }
        return remarks
    }

    private func run() async {
        while isWanted, !Task.isCancelled {
            isWanted = false
            for account in accounts {
                guard let report = try? await AccountSync(account, in: folders).run(looksForNew: false) else { break }
                note(report)
            }
        }
        running = nil
    }

    private func note(_ report: AccountReport) {
        var lines = report.warnings
        if report.problem != nil { lines.insert(contentsOf: report.lines.prefix(1), at: 0) }
        if report.problem == nil { told = told.filter { !$0.hasPrefix("\(report.account): ") } }
        // The same trouble is told once.
        remarks += lines.filter { told.insert($0).inserted }
    }
}
