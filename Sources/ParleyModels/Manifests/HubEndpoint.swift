// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyHTTP

/// The address of the Hugging Face hub or of a mirror, and the token that gives access to gated repositories.
public struct HubEndpoint: Sendable {
    /// The base address of the hub.
    public var url: URL
    /// The token, which is sent to this host only.
    var token: String?
    /// The error for a token in the environment that cannot be sent in a header.
    private var tokenFault: ModelStoreError?

    /// The address of the Hugging Face hub.
    private static let standard = "https://huggingface.co"

    /// Creates an endpoint from the environment: `HF_ENDPOINT`, and `HF_TOKEN` for gated repositories.
    ///
    /// An endpoint that is not an HTTP address is ignored. If the token contains characters that a header cannot
    /// contain, such as a line break, requests that would need it throw an error.
    public init(environment: ProcessEnvironment = [:]) {
        let named = environment["HF_ENDPOINT"].flatMap { URL(string: $0) }
        let isUsable = named?.isOfWeb == true
        // The constant is a valid address.
        url = (isUsable ? named : URL(string: Self.standard)) ?? URL(filePath: "/")
        token = environment["HF_TOKEN"].flatMap { text in
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            return token.isEmpty ? nil : token
        }
        if let token, !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            tokenFault = ModelStoreError(
                .notAuthorized,
                "HF_TOKEN contains a line break or another invalid character. Set it to the token "
                    + "alone, or unset it.")
        }
    }

    /// The download address of a file.
    public func url(of path: String, in reference: HubReference) -> URL {
        let folder = url.appending(path: "\(reference.repository)/resolve")
        let file = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        return URL(string: "\(folder.absoluteString)/\(reference.escapedRevision)/\(file)") ?? folder
    }

    /// Whether an address is one of this endpoint: of its scheme, host and port.
    func has(_ address: URL) -> Bool { address.origin == url.origin }

    /// The web page of a repository, where its licence can be accepted.
    func page(of repository: String) -> URL {
        url.appending(path: repository)
    }

    /// The value of the header `Authorization` for a request: the address's own user and password if it has them,
    /// otherwise the token. The token is sent only to this endpoint's scheme, host and port.
    ///
    /// - Throws: ``ModelStoreError`` with code `notAuthorized` where the token cannot be sent.
    package func authorization(for address: URL) throws -> String? {
        if let user = address.user(percentEncoded: false) {
            let pair = user + ":" + (address.password(percentEncoded: false) ?? "")
            return "Basic " + Data(pair.utf8).base64EncodedString()
        }
        guard let token, has(address) else { return nil }
        if let tokenFault { throw tokenFault }
        return "Bearer \(token)"
    }
}
