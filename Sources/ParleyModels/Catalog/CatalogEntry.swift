// SPDX-License-Identifier: Apache-2.0

public import ParleyModelFile
public import ParleySampling

/// A model that Parley knows by name: what it is, where it comes from and how to be sure of it.
public struct CatalogEntry: Codable, Sendable, Hashable {
    /// The name it is asked for by, such as `smollm2-135m`.
    public var name: String
    /// The name its authors gave it.
    public var title: String
    /// The models it belongs with, such as `Qwen 3`.
    public var family: String
    /// The number of its weights.
    public var parameterCount: Int
    /// The longest context it was trained for, in tokens.
    public var trainedContext: Int
    /// Its licence, by the SPDX identifier where there is one.
    public var license: String
    /// Where its authors describe it.
    public var homepage: String
    /// What it was trained to do.
    public var capabilities: ModelCapabilities
    /// About the memory that its first file takes with ``assumedContext``: an estimate, rounded up, for choosing among
    /// models. What a file really takes is computed from its header, by the engine's `MemoryFit`.
    public var minimumMemory: ByteSize
    /// The sampling that suits it, for what its file leaves open.
    public var sampling: SamplingOptions
    /// Its files, one for each quantisation; the first is taken where none is asked for.
    public var files: [CatalogFile]
    /// Repositories of the hub where other quantisations are looked for, in this order.
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

    /// The tokens of context for which the memory is estimated: those that loading takes where none are asked for.
    public var assumedContext: Int { min(trainedContext, UsualContext.tokens) }

    /// The quantisation that is taken where none is asked for.
    public var quantization: String { files.first?.quantization ?? "" }

    /// The size of the file that is taken where no quantisation is asked for, where it is known.
    public var byteCount: ByteSize? { files.first?.byteCount }

    /// The name under which a quantisation is kept: the entry's own for the one that is taken without asking.
    public func name(of quantization: String) -> String {
        quantization.uppercased() == self.quantization ? name : "\(name):\(quantization.uppercased())"
    }

    /// The files of a quantisation that the catalog lists.
    ///
    /// - Parameters:
    ///   - quantization: nil takes the first.
    ///   - hub: where the hub is.
    /// - Returns: the manifest; nil for a quantisation that the catalog does not list, which only the hub knows.
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

/// A file of the catalog: one quantisation of a model, in a revision of a repository that does not change.
public struct CatalogFile: Codable, Hashable, Sendable {
    /// How its weights are stored, such as `Q4_K_M`.
    public var quantization: String
    /// Where it stands on the hub: the repository with the revision, and the path in it.
    public var hub: HubReference
    /// The size, where it is known.
    public var byteCount: ByteSize?
    /// The SHA-256 digest in lowercase hexadecimal digits, where it is known.
    public var sha256: String?
    /// Where else it can be fetched, tried after the hub.
    public var mirrors: [ModelSource]

    /// Creates a description.
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
