// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelResolver {
    /// A model known by name; a file of that name in the working directory counts too.
    func catalogManifest(_ name: String, _ quantization: String?) async throws -> ModelManifest {
        guard let entry = catalog[name] else {
            if quantization == nil, FileManager.default.fileExists(atPath: name) {
                return try fileManifest(URL(filePath: name, directoryHint: .notDirectory))
            }
            throw catalog.unknown(name)
        }
        if var manifest = entry.manifest(quantization: quantization, hub: hub) {
            let file = entry.files.first { entry.name(of: $0.quantization) == manifest.name }
            if let hubFile = file?.hub, let path = hubFile.file, file?.sha256 == nil || file?.byteCount == nil {
                let details = try await client.details(of: path, in: hubFile)
                manifest.files[0].byteCount = details.byteCount ?? manifest.files[0].byteCount
                manifest.files[0].sha256 = details.sha256 ?? manifest.files[0].sha256
            }
            return manifest
        }
        return try await hubManifest(of: entry, quantization: quantization ?? entry.quantization)
    }

    /// A quantisation that the catalog does not list, from the first repository that has it.
    private func hubManifest(of entry: CatalogEntry, quantization: String) async throws -> ModelManifest {
        var failure: ModelStoreError?
        for repository in entry.repositories {
            do {
                var manifest = try await hubManifest(HubReference(repository, quantization: quantization))
                manifest.name = entry.name(of: quantization)
                manifest.origin = manifest.name
                manifest.sampling = entry.sampling
                manifest.license = entry.license
                return manifest
            } catch let error as ModelStoreError where error.code == .notFound {
                failure = failure ?? error
            }
        }
        throw failure
            ?? ModelStoreError(
                code: .notFound,
                message: "\(entry.name) has nothing stored as \(quantization).\nThere is: "
                    + entry.files.map(\.quantization).joined(separator: ", ") + ".")
    }
}
