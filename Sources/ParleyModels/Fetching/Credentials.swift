// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What opens doors: the hub's token, and the user and password of an address. Nothing of it is written anywhere.
package struct Credentials: Sendable {
    private let hub: URL?
    private let token: String?

    /// Takes the token from `HF_TOKEN`, for the hub that `HF_ENDPOINT` names, or huggingface.co.
    package init(environment: [String: String] = [:]) {
        hub = URL(string: environment["HF_ENDPOINT"] ?? "https://huggingface.co")
        let token = environment["HF_TOKEN"]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        self.token = token.isEmpty ? nil : token
    }

    /// The value of the header `Authorization` for a request to an address.
    package func authorization(for url: URL) -> String? {
        if let user = url.user(percentEncoded: false) {
            let pair = user + ":" + (url.password(percentEncoded: false) ?? "")
            return "Basic " + Data(pair.utf8).base64EncodedString()
        }
        guard let token, let hub, url.origin == hub.origin else { return nil }
        return "Bearer \(token)"
    }
}

extension URL {
    /// The address without user and password, which travel in a header.
    var withoutUser: URL {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        components.user = nil
        components.password = nil
        return components.url ?? self
    }
}
