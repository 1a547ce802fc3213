// SPDX-License-Identifier: Apache-2.0

import ParleyLocal
import ParleyModels

extension ModelStore {
    /// Gets a model's file, and fetches it where it is not on this machine and `isOffline` does not forbid that; shows
    /// how that goes.
    ///
    /// - Throws: `ModelStoreError`; `CancellationError`, also after Ctrl-C.
    func install(
        _ model: String, withProjector: Bool = false, isOffline: Bool, console: Console
    ) async throws -> StoredModel {
        try await LoadingDisplay(model: model, console: console).during { report in
            try await install(
                model, withProjector: withProjector, isOffline: isOffline, willFetch: { report(.missing($0)) },
                report: { report(.fetching($0)) })
        }
    }
}
