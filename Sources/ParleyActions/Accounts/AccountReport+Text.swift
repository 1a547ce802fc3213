// SPDX-License-Identifier: Apache-2.0

extension AccountReport {
    /// What kept the account or a collection from being synchronised, in lines.
    package var problemLines: [String] {
        let whole = problem.map { "\(account): \($0)\(isOffline ? " What you change here is sent later." : "")" }
        let parts = collections.compactMap { one in
            one.problem.flatMap { $0 == problem ? nil : "  \(one.folder): \($0)" }
        }
        return (whole.map { [$0] } ?? []) + parts
    }

    /// What the user should look at.
    package var warnings: [String] {
        collections.flatMap { one in
            one.conflicts.map(\.text) + one.unsent.map { "Not on the server: \($0)." } + one.notices
        }
    }
}
