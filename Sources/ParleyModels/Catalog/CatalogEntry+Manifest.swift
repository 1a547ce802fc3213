// SPDX-License-Identifier: Apache-2.0

extension CatalogEntry {
    /// What the model consists of.
    public func manifest() -> ModelManifest? {
        ModelManifest(
            name: name, origin: name,
            files: [ManifestFile(name: name + ".gguf", byteCount: byteCount, sha256: sha256, sources: sources)],
            sampling: sampling, license: license)
    }
}
