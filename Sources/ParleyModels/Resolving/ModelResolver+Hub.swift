// SPDX-License-Identifier: Apache-2.0

extension ModelResolver {
    /// A model on the hub: the repository is listed, a file chosen, and what the list leaves open read from the headers.
    func hubManifest(_ reference: HubReference, withProjector: Bool = false) async throws -> ModelManifest {
        let choice = try HubFileChoice(reference, among: try await client.files(of: reference))
        var files: [ManifestFile] = []
        for file in choice.model {
            files.append(try await manifestFile(file, .model, in: reference))
        }
        if withProjector {
            guard let projector = choice.projector else {
                throw ModelStoreError(
                    code: .notFound,
                    message: "\(reference.repository) has no mmproj-*.gguf, which would let the model see. Fetch it "
                        + "without (--projector).")
            }
            files.append(try await manifestFile(projector, .projector, in: reference))
        }
        let detail = reference.file ?? choice.quantization
        return ModelManifest(
            name: reference.repository + (reference.revision.map { "@\($0)" } ?? "") + (detail.map { ":\($0)" } ?? ""),
            origin: reference.description, files: files)
    }

    private func manifestFile(
        _ file: HubFile, _ role: ManifestFile.Role, in reference: HubReference
    ) async throws -> ManifestFile {
        let details =
            file.sha256 == nil || file.byteCount == nil
            ? try await client.details(of: file.path, in: reference) : file
        return ManifestFile(
            role: role, name: Self.fileName(file.path), byteCount: file.byteCount ?? details.byteCount,
            sha256: file.sha256 ?? details.sha256, sources: [.web(hub.url(of: file.path, in: reference))])
    }
}
