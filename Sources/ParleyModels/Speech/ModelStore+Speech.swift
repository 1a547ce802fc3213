// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
import ParleySystem

extension ModelStore {
    /// Gets a speech model, and downloads it where it is not on this machine.
    ///
    /// - Parameters:
    ///   - model: a name in the catalog of speech models; the path of a `ggml-*.bin`, or of a folder in the format of
    ///     CTranslate2 or of Hugging Face's `transformers`; or `hf:OWNER/REPO` for such a folder on the Hugging Face hub,
    ///     `hf:OWNER/REPO:FILE.bin` for a file.
    ///   - catalog: the models that can be requested by name.
    ///   - isOffline: whether using the network is forbidden.
    ///   - willFetch: called with the manifest before anything is downloaded.
    ///   - report: called with the progress of the download.
    /// - Returns: the file to load.
    /// - Throws: ``ModelStoreError``; `CancellationError`.
    public func installSpeechModel(
        _ model: String, catalog: SpeechCatalog = .builtIn, isOffline: Bool = false,
        willFetch: (ModelManifest) -> Void = { _ in }, report: @escaping @Sendable (InstallEvent) -> Void = { _ in }
    ) async throws -> URL {
        let text = model.trimmingCharacters(in: .whitespacesAndNewlines)
        if let entry = catalog[text] {
            return try await install(
                entry.manifest(hub: hub), named: text, isOffline: isOffline, willFetch: willFetch, report: report)
        }
        if text.lowercased() == SpeechCatalog.voiceActivityName {
            return try await install(
                SpeechCatalog.voiceActivity, named: text, isOffline: isOffline, willFetch: willFetch, report: report)
        }
        if text.lowercased().hasPrefix("hf:") {
            let reference = try Self.speechReference(String(text.dropFirst(3)))
            if let present = self.model(named: Self.name(of: reference)), present.isComplete { return present.url }
            if isOffline { throw Self.offlineSpeech(text) }
            let manifest = try await speechManifest(of: reference)
            return try await install(
                manifest, named: text, isOffline: false, willFetch: willFetch, report: report)
        }
        let path = URL(filePath: NSString(string: model).expandingTildeInPath)
        if FileManager.default.fileExists(atPath: path.path) { return path }
        if text.contains("/") || text.hasPrefix(".") || text.hasPrefix("~") || text.lowercased().hasSuffix(".bin") {
            throw ModelStoreError(.fileNotFound, "There is no speech model at \(PlainText.clean(model)).")
        }
        let known = catalog.entries.map(\.name).joined(separator: ", ")
        throw ModelStoreError(
            .unknownModel,
            "There is no speech model named \(PlainText.clean(String(text.prefix(80)))).\nKnown names: \(known); or give "
                + "the path of a ggml-*.bin, of a folder in CTranslate2's format or with model.safetensors, hf:OWNER/REPO "
                + "or hf:OWNER/REPO:FILE.bin.")
    }

    /// The network that tells speech from other sounds, if it is on this machine.
    public var voiceActivityModel: URL? {
        model(named: SpeechCatalog.voiceActivityName).flatMap { $0.isComplete ? $0.url : nil }
    }

    /// The error for a name that no model for text has; for that of a speech model it says so.
    func unknownModel(_ name: String) -> ModelStoreError {
        let lower = name.lowercased()
        return SpeechCatalog.builtIn[lower] != nil || lower == SpeechCatalog.voiceActivityName
            ? .speechModel(lower) : catalog.unknown(name, others: list().map(\.name))
    }

    private func install(
        _ manifest: ModelManifest, named text: String, isOffline: Bool, willFetch: (ModelManifest) -> Void,
        report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> URL {
        if let present = model(named: manifest.name), present.isComplete,
            present.manifest.files.map(\.name) == manifest.files.map(\.name)
        {
            return present.url
        }
        if isOffline { throw Self.offlineSpeech(text) }
        willFetch(manifest)
        return try await install(manifest, report: report).url
    }

    /// The files of a speech model in a listing, the one to load first: CTranslate2's, or else those of `transformers`;
    /// none if neither are there.
    private static func speechFiles(of all: [HubFile]) -> [HubFile] {
        func named(_ names: String...) -> [HubFile] { names.compactMap { name in all.first { $0.path == name } } }
        let converted = named("model.bin", "vocabulary.txt", "vocabulary.json", "config.json")
        if converted.first?.path == "model.bin", converted.contains(where: { $0.path.hasPrefix("vocabulary.") }) {
            return converted
        }
        var weights = named("model.safetensors")
        if weights.isEmpty, case let index = named("model.safetensors.index.json"), !index.isEmpty {
            weights = index + all.filter { $0.path.wholeMatch(of: /model-\d{5}-of-\d{5}\.safetensors/) != nil }
        }
        let others = named("config.json", "tokenizer.json", "vocab.json", "generation_config.json")
        let isWhole =
            !weights.isEmpty && others.first?.path == "config.json"
            && others.contains { ["tokenizer.json", "vocab.json"].contains($0.path) }
        return isWhole ? weights + others : []
    }

    private static func offlineSpeech(_ model: String) -> ModelStoreError {
        let option = model.lowercased().hasPrefix("hf:") ? " --speech" : ""
        return ModelStoreError(
            .offline,
            "\(PlainText.clean(model)) is not on this machine, and the network may not be used (--offline).\n"
                + "\(ShellCommand("parley models pull" + option, PlainText.clean(model))) fetches it.")
    }

    /// Parses `OWNER/REPO[@REVISION][:FILE.bin]`.
    private static func speechReference(_ text: String) throws -> HubReference {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let names = parts[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var reference = HubReference(names[0])
        let isValid =
            text.utf8.count <= ModelReference.longest && ModelReference.isRepository(names[0])
            && names.dropFirst().allSatisfy(ModelReference.isPath)
            && parts.dropFirst().allSatisfy { ModelReference.isPath($0) && $0.lowercased().hasSuffix(".bin") }
        guard isValid else {
            throw ModelStoreError(
                .invalidReference,
                "“hf:\(PlainText.clean(String(text.prefix(200))))” does not name a speech model.\nWrite it as "
                    + "hf:OWNER/REPO, or as hf:OWNER/REPO:ggml-NAME.bin.")
        }
        if names.count == 2 { reference.revision = names[1] }
        if parts.count == 2 { reference.file = parts[1] }
        return reference
    }

    private static func name(of reference: HubReference) -> String {
        reference.repository + (reference.revision.map { "@\($0)" } ?? "") + (reference.file.map { ":\($0)" } ?? "")
    }

    /// The manifest for a model on the hub: the file that is named, or those of a folder.
    private func speechManifest(of reference: HubReference) async throws -> ModelManifest {
        let client = ModelResolver(hub: hub, client: self.client).client.limited(to: .seconds(120))
        let files: [HubFile]
        if let file = reference.file {
            files = [try await client.details(of: file, in: reference)]
        } else {
            files = Self.speechFiles(of: try await client.files(of: reference))
            guard !files.isEmpty else {
                throw ModelStoreError(
                    .notFound,
                    "\(reference.repository) has neither model.bin with a vocabulary nor model.safetensors with "
                        + "config.json and tokenizer.json, so it is no folder with a speech model. For a file of "
                        + "whisper.cpp write hf:\(reference.repository):ggml-NAME.bin.")
            }
        }
        return ModelManifest(
            name: Self.name(of: reference), origin: reference.description,
            files: files.map { file in
                ManifestFile(
                    role: .speech, name: ModelResolver.fileName(file.path), byteCount: file.byteCount,
                    sha256: file.sha256, sources: [.web(hub.url(of: file.path, in: reference))])
            })
    }
}

extension StoredModel {
    /// Throws where the model is one for speech, which no engine for text runs.
    package func requireText() throws {
        if let manifest, manifest.files.first?.role == .speech { throw ModelStoreError.speechModel(manifest.name) }
    }
}

extension ModelStoreError {
    /// The error for a model for speech where one for text is wanted.
    static func speechModel(_ name: String) -> ModelStoreError {
        if name == SpeechCatalog.voiceActivityName {
            return ModelStoreError(
                .unknownModel, "\(name) tells speech from other sounds; 'parley transcribe' uses it where it is here.")
        }
        let reference = SpeechCatalog.builtIn[name] == nil ? "hf:\(name)" : name
        return ModelStoreError(
            .unknownModel,
            "\(name) is a speech model; use \(ShellCommand("parley transcribe --model", reference)).")
    }
}
