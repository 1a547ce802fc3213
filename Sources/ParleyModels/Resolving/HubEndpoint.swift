// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Where the Hugging Face hub is, or what stands in for it, and the token that opens gated repositories there.
public struct HubEndpoint: Sendable {
    /// The address, without a path of files.
    public var url: URL
    /// The token, which is sent to this host only.
    var token: String?

    /// The hub itself.
    private static let standard = "https://huggingface.co"

    /// The hub that the environment names: `HF_ENDPOINT`, and `HF_TOKEN` for gated repositories.
    ///
    /// An endpoint that is no address of the web is passed over.
    public init(environment: [String: String] = [:]) {
        let named = environment["HF_ENDPOINT"].flatMap { URL(string: $0) }
        let isUsable = ["http", "https"].contains(named?.scheme?.lowercased() ?? "") && named?.host() != nil
        // The constant is a valid address.
        url = (isUsable ? named : URL(string: Self.standard)) ?? URL(filePath: "/")
        token = environment["HF_TOKEN"].flatMap { text in
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            return token.isEmpty ? nil : token
        }
    }

    /// The address of a file.
    public func url(of path: String, in reference: HubReference) -> URL {
        url.appending(path: "\(reference.repository)/resolve/\(reference.effectiveRevision)/\(path)")
    }

    /// The page where a repository is described and its licence accepted.
    func page(of repository: String) -> URL {
        url.appending(path: repository)
    }

    /// The headers for a request to an address; see `authorization(for:)`.
    public func headers(for address: URL) -> [String: String] {
        authorization(for: address).map { ["Authorization": $0] } ?? [:]
    }

    /// The value of the header `Authorization` for a request to an address: its own user and password, else the token,
    /// which goes to this endpoint's scheme, host and port only.
    package func authorization(for address: URL) -> String? {
        if let user = address.user(percentEncoded: false) {
            let pair = user + ":" + (address.password(percentEncoded: false) ?? "")
            return "Basic " + Data(pair.utf8).base64EncodedString()
        }
        guard let token, address.origin == url.origin else { return nil }
        return "Bearer \(token)"
    }
}
