// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ParleyHTTP

/// Finds the files of a requested model and their sources. A ``ModelStore`` downloads them.
///
/// ```swift
/// let resolver = ModelResolver()
/// let manifest = try await resolver.manifest(of: ModelReference(parsing: "hf:Qwen/Qwen3-0.6B-GGUF:Q8_0"))
/// ```
///
/// Models in the catalog and files on this machine need no network, unless a quantisation is requested that the catalog
/// does not list.
public struct ModelResolver: Sendable {
    /// The models that can be requested by name.
    public let catalog: Catalog
    /// The address of the hub, and the token for it.
    public let hub: HubEndpoint
    private let http: any HTTPClient
    /// How long all requests may take that find the files of a model on the hub.
    package var limit = Duration.seconds(600)
    /// The current time.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }

    /// Creates a resolver, without reading anything.
    ///
    /// - Parameters:
    ///   - catalog: the models that can be requested by name.
    ///   - hub: the address of the hub, and the token for it.
    ///   - client: requests listings and manifests.
    public init(
        catalog: Catalog = .builtIn, hub: HubEndpoint = HubEndpoint(environment: .process),
        client: any HTTPClient = URLSessionClient()
    ) {
        self.catalog = catalog
        self.hub = hub
        http = client
    }

    /// Resolves a reference to the model's files.
    ///
    /// - Parameters:
    ///   - reference: the model.
    ///   - withProjector: whether to include the image projector (`mmproj-*.gguf`) of a model on the hub; it is an
    ///     error if its repository has none. For other models, only the files that their manifests name are included.
    /// - Returns: the model's files with their sources.
    /// - Throws: ``ModelStoreError`` with code `unknownModel`, `fileNotFound`, `notFound`, `notAuthorized`,
    ///   `invalidManifest` or `unreachable`; `CancellationError`.
    public func manifest(of reference: ModelReference, withProjector: Bool = false) async throws -> ModelManifest {
        switch reference {
        case .catalog(let name, let quantization):
            try await catalogManifest(name, quantization)
        case .hub(let hubReference) where hubReference.file?.lowercased().hasSuffix(".json") == true:
            try await webManifest(hub.url(of: hubReference.file ?? "", in: hubReference), origin: reference.description)
        case .hub(let hubReference):
            try await hubManifest(hubReference, withProjector: withProjector)
        case .web(let url):
            try await webManifest(url, origin: reference.description)
        case .file(let url):
            try fileManifest(url)
        case .pythonPackage(let file):
            ModelManifest(
                name: "\(file.package)/\(Self.fileName(file.member))", origin: reference.description,
                files: [ManifestFile(name: Self.fileName(file.member), sources: [.pythonPackage(file)])])
        }
    }

    /// Requests listings, manifests and headers of files.
    var client: HubClient { HubClient(endpoint: hub, http: http, now: now) }

    /// A valid file name made from the last component of a path: without separators, not hidden, not too long.
    static func fileName(_ path: String) -> String {
        let last = path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        let clean = String(
            last.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.prefix(200).map(Character.init))
        return clean.isEmpty || clean.hasPrefix(".") ? "model" + clean : clean
    }
}

extension ModelResolver {
    /// The manifest for a name in the catalog, or for a file of that name in the working directory.
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

    /// The manifest for a quantisation that the catalog does not list, from the first repository that has it.
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
                .notFound,
                "\(entry.name) is not available with the quantisation \(quantization).\nAvailable: "
                    + entry.files.map(\.quantization).joined(separator: ", ") + ".")
    }
}

extension ModelResolver {
    /// The manifest for a model on the hub: lists the repository, chooses a file, or takes the folder in the form of
    /// Hugging Face where there is no GGUF file, and reads sizes and digests from the response headers where the list
    /// lacks them.
    func hubManifest(_ reference: HubReference, withProjector: Bool = false) async throws -> ModelManifest {
        // A listing has up to 50 pages, and a model up to 1,000 parts, each a request of its own.
        let client = client.limited(to: limit)
        let listed = try await client.files(of: reference)
        if reference.file == nil, reference.quantization == nil, !withProjector, let folder = HubFolder(among: listed) {
            return try await manifest(of: folder, in: reference, client)
        }
        let choice = try HubFileChoice(reference, among: listed)
        var files: [ManifestFile] = []
        for file in choice.model {
            files.append(try await manifestFile(file, .weights, in: reference, client))
        }
        if withProjector {
            guard let projector = choice.projector else {
                throw ModelStoreError(
                    .notFound,
                    "\(reference.repository) has no image projector (mmproj-*.gguf). Pull the model "
                        + "without --projector.")
            }
            files.append(try await manifestFile(projector, .projector, in: reference, client))
        }
        let detail = reference.file ?? choice.quantization
        return ModelManifest(
            name: reference.repository + (reference.revision.map { "@\($0)" } ?? "") + (detail.map { ":\($0)" } ?? ""),
            origin: reference.description, files: files)
    }

    func manifestFile(
        _ file: HubFile, _ role: ManifestFile.Role, in reference: HubReference, _ client: HubClient
    ) async throws -> ManifestFile {
        let details =
            file.sha256 == nil || file.byteCount == nil
            ? try await client.details(of: file.path, in: reference) : file
        return ManifestFile(
            role: role, name: Self.fileName(file.path), byteCount: file.byteCount ?? details.byteCount,
            sha256: file.sha256 ?? details.sha256, sources: [.web(hub.url(of: file.path, in: reference))])
    }
}
