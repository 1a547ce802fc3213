// SPDX-License-Identifier: Apache-2.0

import ParleyHTTP
import ParleyModelFile

/// A repository that is a folder in the form of Hugging Face, without GGUF files.
struct HubFolder {
    /// The files beside the weights, in the order of ``FolderFiles/descriptions``.
    let descriptions: [HubFile]
    /// The index of the weights, if they are in several files.
    let index: HubFile?
    private let weights: [HubFile]

    /// Finds the folder; nil where the repository has GGUF files, or no `config.json` with safetensors.
    init?(among files: [HubFile]) {
        guard !files.contains(where: { $0.isModel && !$0.isProjector }) else { return nil }
        func file(_ name: String) -> HubFile? { files.first { $0.path == name } }
        descriptions = FolderFiles.descriptions.compactMap(file)
        index = file(SafetensorsFile.indexName)
        weights = files.filter { $0.path.hasSuffix(".safetensors") && !$0.path.contains("/") }
        guard descriptions.first?.path == FolderFiles.descriptions[0], !weights.isEmpty,
            index != nil || file(SafetensorsFile.fileName) != nil
        else { return nil }
    }

    /// The files of the weights with these names.
    ///
    /// - Throws: ``ModelStoreError`` with code `notFound` for one that the repository does not have.
    func weights(_ names: [String], of reference: HubReference) throws -> [HubFile] {
        try names.map { name in
            guard let file = weights.first(where: { $0.path == name }) else {
                throw ModelStoreError(
                    .notFound, "\(reference.repository) has no \(name), which its index of weights lists.")
            }
            return file
        }
    }
}

extension ModelResolver {
    /// The manifest for a folder on the hub.
    ///
    /// What `config.json` says is checked before anything large is downloaded.
    func manifest(
        of folder: HubFolder, in reference: HubReference, _ client: HubClient
    ) async throws -> ModelManifest {
        for name in FolderFiles.descriptions.prefix(FolderFiles.requiredCount)
        where !folder.descriptions.contains(where: { $0.path == name }) {
            throw ModelStoreError(
                .notFound,
                "\(reference.repository) has no \(name). Look for a repository with GGUF in its name.")
        }
        let configuration = try await document(folder.descriptions[0], in: reference, client)
        do {
            try FolderFiles.check(configuration: configuration, name: "\(reference.repository)/config.json")
        } catch {
            throw ModelStoreError(.damagedFile, error.message, cause: error)
        }
        var names = [SafetensorsFile.fileName]
        if let index = folder.index {
            let bytes = try await document(index, in: reference, client)
            do {
                names = try FolderFiles.weights(inIndex: bytes, name: "\(reference.repository)/\(index.path)")
            } catch {
                throw ModelStoreError(.invalidManifest, error.message, cause: error)
            }
        }
        let weights = try folder.weights(names, of: reference)
        guard weights.count < ModelManifest.mostFiles - 10 else {
            throw ModelStoreError(
                .invalidManifest, "\(reference.repository) has weights in \(weights.count) files, more than any model.")
        }
        var files: [ManifestFile] = []
        // The hub tells no digests of small files.
        for file in folder.descriptions + (folder.index.map { [$0] } ?? []) {
            files.append(
                ManifestFile(
                    role: .folder, name: file.path, byteCount: file.byteCount, sha256: file.sha256,
                    sources: [.web(hub.url(of: file.path, in: reference))]))
        }
        for file in weights { files.append(try await manifestFile(file, .folder, in: reference, client)) }
        return ModelManifest(
            name: reference.repository + (reference.revision.map { "@\($0)" } ?? ""), origin: reference.description,
            files: files)
    }

    /// A small file of a repository.
    private func document(
        _ file: HubFile, in reference: HubReference, _ client: HubClient
    ) async throws -> [UInt8] {
        let answer = try await client.answer(
            from: hub.url(of: file.path, in: reference), upTo: FolderFiles.longestDocument)
        guard answer.status == 200 else { throw await client.failure(answer, reference, file: file.path) }
        return Array(answer.body)
    }
}
