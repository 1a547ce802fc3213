// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
import ParleyModelFile
public import ParleySampling
public import ParleySystem

/// The files of a model and where to download them: the result of resolving a name or an address, and the input of an
/// installation.
public struct ModelManifest: Codable, Hashable, Sendable {
    /// The model's name in the store, such as `smollm2-135m` or `owner/repository:Q4_K_M`.
    public var name: String
    /// The name or address that the model was requested by, without credentials. Installing it again gives the same
    /// model.
    public var origin: String
    /// The files. The first is the one to load, or the folder that has them is; the other parts of a split file follow in order, then companions such
    /// as a projector.
    public var files: [ManifestFile]
    /// The recommended sampling, used for the settings that the model's file does not contain.
    public var sampling: SamplingOptions
    /// A chat template that replaces the one in the file.
    public var chatTemplate: String?
    /// The licence: its SPDX identifier, or its name where it has none.
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
    /// The maximum number of files of a model; split files have a few dozen parts.
    static let mostFiles = 1_000

    /// Whether the model is a folder, which is loaded as a whole.
    var isFolder: Bool { files.first?.role == .folder }

    /// The SHA-256 digest that identifies the model: that of its first file, or of a folder that of all digests together;
    /// nil where one is not known.
    package var digest: String? {
        guard isFolder else { return files.first?.sha256 }
        let digests = files.compactMap(\.sha256)
        return digests.count == files.count
            ? SHA256Hash.hexadecimal(of: Data(digests.joined(separator: " ").utf8)) : nil
    }

    /// The file to load, if all files are on this machine already and nothing has to be downloaded; otherwise nil.
    public var localFile: URL? {
        let urls = files.compactMap { file -> URL? in
            if case .web(let url) = file.sources.first, url.isFileURL { url } else { nil }
        }
        return urls.count == files.count ? urls.first : nil
    }
}

/// One file of a model.
public struct ManifestFile: Codable, Hashable, Sendable {
    /// The purpose of a file. Later versions may add roles; manifests with unknown roles can still be read.
    public struct Role: RawRepresentable, Codable, Hashable, Sendable {
        /// The name of the role in manifests.
        public let rawValue: String

        /// Creates a role from its name in manifests.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Weights of the language model, or a part of them.
        public static let weights = Role(rawValue: "model")
        /// The encoder that turns images into embeddings for the language model (`mmproj`).
        public static let projector = Role(rawValue: "projector")
        /// The decoder that turns the language model's output into sound.
        public static let audioDecoder = Role(rawValue: "audioDecoder")
        /// The encoder that turns sound into tokens for the language model.
        public static let audioTokenizer = Role(rawValue: "audioTokenizer")
        /// A file of a model that writes down speech, or of one that belongs to it. Its format is not GGUF.
        public static let speech = Role(rawValue: "speech")
        /// A file of a folder in the form of Hugging Face, of which all files are needed: the folder is loaded.
        public static let folder = Role(rawValue: "folder")
    }

    /// The purpose of the file.
    public var role: Role
    /// The file's name in the store, a single path component. The names of a split file's parts must be kept, because
    /// the loader finds the parts by them.
    public var name: String
    /// The size in bytes, where it is known before the download.
    public var byteCount: ByteSize?
    /// The SHA-256 digest in lowercase hexadecimal digits, where it is known before the download.
    public var sha256: String?
    /// The sources, in the order in which they are tried.
    public var sources: [ModelSource]
    /// The source that delivered the file; nil before the download, and where it is not known.
    public var delivered: ModelSource?

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

/// A source of a model's file.
public enum ModelSource: Codable, Sendable, Hashable {
    /// A file on the web.
    case web(URL)
    /// A file inside a wheel on the Python package index, which a ``PackageFetcher`` downloads.
    case pythonPackage(PythonPackageFile)
    /// A file in parts, each inside a wheel of its own; put one behind the other they are the file.
    case pythonPackageParts([PythonPackageFile])

    /// A short name for messages: the host, or the package.
    public var title: String {
        switch self {
        case .web(let url): url.host() ?? url.absoluteString
        case .pythonPackage(let file): "PyPI (\(file.package) \(file.version))"
        case .pythonPackageParts(let parts):
            "PyPI (" + parts.map { "\($0.package) \($0.version)" }.joined(separator: ", ") + ")"
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
