// SPDX-License-Identifier: Apache-2.0

public import ParleyModelFile

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
