// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyHTTP

/// Where the Hugging Face hub is, or what stands in for it, and the token that opens gated repositories there.
public struct HubEndpoint: Sendable {
    /// The address, without a path of files.
    public var url: URL
    /// The token, which is sent to this host only.
    var token: String?
    /// Why the token of the environment cannot be sent.
    private var tokenFault: ModelStoreError?

    /// The hub itself.
    private static let standard = "https://huggingface.co"

    /// The hub that the environment names: `HF_ENDPOINT`, and `HF_TOKEN` for gated repositories.
    ///
    /// An endpoint that is no address of the web is passed over. Where the token holds anything that a header cannot,
    /// such as a line break, requests that would need it are refused.
    public init(environment: ProcessEnvironment = [:]) {
        let named = environment["HF_ENDPOINT"].flatMap { URL(string: $0) }
        let isUsable = ["http", "https"].contains(named?.scheme?.lowercased() ?? "") && named?.host() != nil
        // The constant is a valid address.
        url = (isUsable ? named : URL(string: Self.standard)) ?? URL(filePath: "/")
        token = environment["HF_TOKEN"].flatMap { text in
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            return token.isEmpty ? nil : token
        }
        if let token, !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            tokenFault = ModelStoreError(
                .notAuthorized,
                "HF_TOKEN holds a line break or another character that no token has. Set it to the token "
                    + "alone, or unset it.")
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

    /// The value of the header `Authorization` for a request to an address: its own user and password, else the token,
    /// which goes to this endpoint's scheme, host and port only.
    ///
    /// - Throws: ``ModelStoreError`` with code `notAuthorized` where the token cannot be sent.
    package func authorization(for address: URL) throws -> String? {
        if let user = address.user(percentEncoded: false) {
            let pair = user + ":" + (address.password(percentEncoded: false) ?? "")
            return "Basic " + Data(pair.utf8).base64EncodedString()
        }
        guard let token, address.origin == url.origin else { return nil }
        if let tokenFault { throw tokenFault }
        return "Bearer \(token)"
    }
}
