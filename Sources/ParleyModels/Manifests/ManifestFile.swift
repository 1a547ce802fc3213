// SPDX-License-Identifier: Apache-2.0

public import ParleyModelFile

/// One file of a model.
public struct ManifestFile: Codable, Hashable, Sendable {
    /// What a file is for.
    public enum Role: String, Codable, Sendable {
        /// Weights of the language model, or a part of them.
        case model
        /// Turns images into what the language model reads (`mmproj`).
        case projector
        /// Turns the language model's output into sound.
        case audioDecoder
        /// Turns sound into what the language model reads.
        case audioTokenizer
    }

    /// What it is for.
    public var role: Role
    /// The name it is kept under: one path component, which a split file's parts need to be found by.
    public var name: String
    /// The size, where it is known before fetching.
    public var byteCount: ByteSize?
    /// The SHA-256 digest in lowercase hexadecimal digits, where it is known before fetching.
    public var sha256: String?
    /// Where it can be fetched, in the order of trying.
    public var sources: [ModelSource]

    /// Creates a file.
    public init(
        role: Role = .model, name: String, byteCount: ByteSize? = nil, sha256: String? = nil, sources: [ModelSource]
    ) {
        self.role = role
        self.name = name
        self.byteCount = byteCount
        self.sha256 = sha256
        self.sources = sources
    }
}
