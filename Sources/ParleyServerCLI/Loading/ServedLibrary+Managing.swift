// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import ParleyServer

extension ServedLibrary: ModelLibrary {
    /// The models of the catalog.
    func catalog() async -> [FetchableModel] {
        let installed = Set(store.list().map(\.name))
        return store.catalog.entries.map { entry in
            FetchableModel(
                name: entry.name, title: entry.title, size: entry.byteCount, memory: entry.minimumMemory,
                capabilities: entry.capabilities, isInstalled: installed.contains(entry.name))
        }
    }

    /// Fetches a model; a path is refused, since a client has no business among the files of this machine.
    ///
    /// - Throws: ``ServeError``; `ModelStoreError`; `CancellationError`.
    func fetch(
        _ reference: String, report: @escaping @Sendable (_ received: Int64, _ total: Int64) -> Void
    ) async throws -> ServedModel {
        if case .file = try ModelReference(parsing: reference) {
            throw ServeError("A model is fetched by a name of the catalog or an address, not by a path.")
        }
        let found = try await store.install(reference, willFetch: { _ in }) { event in
            if case .received(let bytes, let total) = event { report(bytes, total) }
        }
        return Self.description(of: found)
    }

    /// Removes a model from the store.
    ///
    /// - Throws: `ModelStoreError`.
    func remove(_ id: String) async throws { try await store.remove(id) }
}
