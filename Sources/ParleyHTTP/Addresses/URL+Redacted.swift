// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension URL {
    /// The address without possible secrets: user, password, fragment, and the values of query parameters that are
    /// named like tokens or signatures.
    public var redacted: URL {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        components.user = nil
        components.password = nil
        components.fragment = nil
        let kept = components.queryItems?.filter { !Self.isSecret($0.name) }
        components.queryItems = kept?.isEmpty == false ? kept : nil
        return components.url ?? URL(filePath: "/")
    }

    /// The address without user and password, which are sent in a header instead.
    package var withoutUser: URL {
        guard user() != nil, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return self
        }
        components.user = nil
        components.password = nil
        return components.url ?? self
    }

    /// Whether a query parameter has the name of a credential or of part of a signature, as cloud services use them.
    private static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return secretNames.contains(name) || secretParts.contains { name.contains($0) }
            || secretPrefixes.contains { name.hasPrefix($0) }
    }

    private static let secretNames: Set = [
        // Most of the short names are those of Azure's shared access signatures.
        "sig", "jwt", "sid", "code", "access", "session", "ticket", "nonce", "se", "sp", "st", "sv", "sr", "spr", "ske",
        "skt", "key", "pwd", "pass", "expires", "policy",
    ]
    private static let secretParts = [
        "token", "secret", "password", "signature", "credential", "auth", "apikey", "api_key", "key-pair", "api-key",
    ]
    private static let secretPrefixes = ["x-amz-", "x-goog-", "x-xet-"]
}
