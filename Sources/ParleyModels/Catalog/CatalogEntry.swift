// SPDX-License-Identifier: Apache-2.0

public import ParleyModelFile

/// A model that Parley knows by name: what it is, where it comes from and how to be sure of it.
public struct CatalogEntry: Sendable, Hashable {
    /// The name it is asked for by, such as `smollm2-135m`.
    public var name: String
    /// The name its authors gave it, with the quantisation.
    public var title: String
    /// The SPDX identifier of its licence.
    public var license: String
    /// Where its authors describe it.
    public var homepage: String
    /// The size of the file in bytes.
    public var byteCount: Int64
    /// The SHA-256 digest of the file, in lowercase hexadecimal digits.
    public var sha256: String
    /// The sampling that suits it, for what its file leaves open.
    public var sampling: SamplingDefaults
    /// Where it can be fetched, in the order of trying.
    public var sources: [ModelSource]

    /// Creates an entry.
    public init(
        name: String, title: String, license: String, homepage: String, byteCount: Int64, sha256: String,
        sampling: SamplingDefaults = SamplingDefaults(), sources: [ModelSource]
    ) {
        self.name = name
        self.title = title
        self.license = license
        self.homepage = homepage
        self.byteCount = byteCount
        self.sha256 = sha256
        self.sampling = sampling
        self.sources = sources
    }
}
