// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyModelFile

/// What a model consists of and where it comes from: the answer to a name or an address, and what a store fetches.
public struct ModelManifest: Codable, Hashable, Sendable {
    /// The name it is kept under, such as `smollm2-135m` or `owner/repository:Q4_K_M`.
    public var name: String
    /// What it was asked for by, without credentials; fetching this again gives the model again.
    public var origin: String
    /// Its files. The first is the one to load; the parts of a split file follow in order, then its companions.
    public var files: [ManifestFile]
    /// The sampling that suits it, for what its file leaves open.
    public var sampling: SamplingDefaults
    /// A chat template that replaces the one in the file.
    public var chatTemplate: String?
    /// The licence, by its SPDX name where it has one.
    public var license: String?

    /// Creates a manifest.
    public init(
        name: String, origin: String, files: [ManifestFile], sampling: SamplingDefaults = SamplingDefaults(),
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
