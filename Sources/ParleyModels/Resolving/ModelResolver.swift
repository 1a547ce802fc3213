// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Finds out what a model that was asked for consists of and where its files are; fetching them is a ``ModelStore``'s.
///
/// ```swift
/// let resolver = ModelResolver()
/// let manifest = try await resolver.manifest(of: ModelReference(parsing: "hf:Qwen/Qwen3-0.6B-GGUF:Q8_0"))
/// ```
///
/// A model of the catalog and a file on this machine need no network, unless a quantisation is asked for that the
/// catalog does not list.
public struct ModelResolver: Sendable {
    /// The models known by name.
    public let catalog: Catalog
    /// Where the hub is.
    public let hub: HubEndpoint
    let reader: any WebReader

    /// Creates a resolver; nothing is read yet.
    ///
    /// - Parameters:
    ///   - catalog: the models known by name.
    ///   - hub: where the hub is, and the token for it.
    ///   - reader: reads listings and manifests.
    public init(
        catalog: Catalog = .builtIn, hub: HubEndpoint = HubEndpoint(environment: ProcessInfo.processInfo.environment),
        reader: any WebReader = URLSessionReader()
    ) {
        self.catalog = catalog
        self.hub = hub
        self.reader = reader
    }

    /// What a model consists of.
    ///
    /// - Parameters:
    ///   - reference: the model.
    ///   - withProjector: whether a model on the hub comes with what lets it see (`mmproj-*.gguf`), which its
    ///     repository must have then. Of other models only what their manifests name is fetched.
    /// - Returns: the model's files, with where they come from.
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

    /// A name that a file can be kept under, from the end of a path: no separators, not hidden, not too long.
    static func fileName(_ path: String) -> String {
        let last = path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        let clean = String(
            last.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.prefix(200).map(Character.init))
        return clean.isEmpty || clean.hasPrefix(".") ? "model" + clean : clean
    }
}
