// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
public import ParleySampling
public import ParleySystem

/// A model in the catalog: its properties, its files and their digests.
public struct CatalogEntry: Codable, Sendable, Hashable {
    /// The name to request it by, such as `smollm2-135m`.
    public var name: String
    /// The name that its authors gave it.
    public var title: String
    /// The model family, such as `Qwen 3`.
    public var family: String
    /// The number of parameters.
    public var parameterCount: Int
    /// The longest context that it was trained for, in tokens.
    public var trainedContext: Int
    /// The licence: its SPDX identifier, or its name where it has none.
    public var license: String
    /// The address of the page where its authors describe it.
    public var homepage: String
    /// What it was trained to do.
    public var capabilities: ModelCapabilities
    /// The approximate memory in bytes for its first file with ``assumedContext``, rounded up; meant for choosing among
    /// models. `parley models fit` computes the exact amount from a file's header, and loading refuses what does not fit.
    public var minimumMemory: ByteSize
    /// The recommended sampling, used for the settings that the model's file does not contain.
    public var sampling: SamplingOptions
    /// The files, one for each quantisation; the first is the default.
    public var files: [CatalogFile]
    /// The hub's repositories that are searched for other quantisations, in this order.
    public var repositories: [String]

    /// Creates an entry.
    public init(
        name: String, title: String, family: String, parameterCount: Int, trainedContext: Int, license: String,
        homepage: String, capabilities: ModelCapabilities = .chat, minimumMemory: ByteSize,
        sampling: SamplingOptions = SamplingOptions(), files: [CatalogFile], repositories: [String] = []
    ) {
        self.name = name
        self.title = title
        self.family = family
        self.parameterCount = parameterCount
        self.trainedContext = trainedContext
        self.license = license
        self.homepage = homepage
        self.capabilities = capabilities
        self.minimumMemory = minimumMemory
        self.sampling = sampling
        self.files = files
        self.repositories = repositories
    }

    /// The context length in tokens for which ``minimumMemory`` is estimated: the default context length.
    public var assumedContext: Int { min(trainedContext, UsualContext.tokens) }

    /// The default quantisation.
    public var quantization: String { files.first?.quantization ?? "" }

    /// The size in bytes of the file with the default quantisation, where it is known.
    public var byteCount: ByteSize? { files.first?.byteCount }

    /// The name in the store of a quantisation: the entry's own name for the default, otherwise `NAME:QUANT`.
    public func name(of quantization: String) -> String {
        quantization.uppercased() == self.quantization ? name : "\(name):\(quantization.uppercased())"
    }

    /// The manifest for one of the quantisations in the catalog.
    ///
    /// - Parameters:
    ///   - quantization: the quantisation; nil takes the default.
    ///   - hub: the address of the hub.
    /// - Returns: the manifest; nil for a quantisation that is not in the catalog.
    public func manifest(quantization: String? = nil, hub: HubEndpoint = HubEndpoint()) -> ModelManifest? {
        let wanted = (quantization ?? self.quantization).uppercased()
        guard let file = files.first(where: { $0.quantization == wanted }), let path = file.hub.file else { return nil }
        let name = name(of: wanted)
        return ModelManifest(
            name: name, origin: name,
            files: [
                ManifestFile(
                    name: path.split(separator: "/").last.map(String.init) ?? path, byteCount: file.byteCount,
                    sha256: file.sha256, sources: [.web(hub.url(of: path, in: file.hub))] + file.mirrors)
            ],
            sampling: sampling, license: license)
    }
}

/// A file in the catalog: one quantisation of a model, at a fixed revision of a repository.
public struct CatalogFile: Codable, Hashable, Sendable {
    /// The quantisation of its weights, such as `Q4_K_M`.
    public var quantization: String
    /// The file on the hub: repository, revision and path.
    public var hub: HubReference
    /// The size in bytes, where it is known.
    public var byteCount: ByteSize?
    /// The SHA-256 digest in lowercase hexadecimal digits, where it is known.
    public var sha256: String?
    /// Other sources, which are tried after the hub.
    public var mirrors: [ModelSource]

    /// Creates a file.
    public init(
        quantization: String, hub: HubReference, byteCount: ByteSize? = nil, sha256: String? = nil,
        mirrors: [ModelSource] = []
    ) {
        self.quantization = quantization
        self.hub = hub
        self.byteCount = byteCount
        self.sha256 = sha256
        self.mirrors = mirrors
    }
}
