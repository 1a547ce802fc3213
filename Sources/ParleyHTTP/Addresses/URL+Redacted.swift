// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension URL {
    /// The address without what may be a secret: user and password, the fragment, and values of the query whose names
    /// are those of tokens and signatures.
    public var redacted: URL {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        components.user = nil
        components.password = nil
        components.fragment = nil
        let kept = components.queryItems?.filter { !Self.isSecret($0.name) }
        components.queryItems = kept?.isEmpty == false ? kept : nil
        return components.url ?? URL(filePath: "/")
    }

    /// The address without user and password, which travel in a header.
    package var withoutUser: URL {
        guard user() != nil, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return self
        }
        components.user = nil
        components.password = nil
        return components.url ?? self
    }

    /// Whether a query's name is that of a credential or of a part of a signature, as clouds and hubs name them.
    private static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return secretNames.contains(name) || secretParts.contains { name.contains($0) }
            || secretPrefixes.contains { name.hasPrefix($0) }
    }

    private static let secretNames: Set = [
        // Azure's shared access signatures have these short names.
        "sig", "jwt", "sid", "code", "access", "session", "ticket", "nonce", "se", "sp", "st", "sv", "sr", "spr", "ske",
        "skt", "key", "pwd", "pass", "expires", "policy",
    ]
    private static let secretParts = [
        "token", "secret", "password", "signature", "credential", "auth", "apikey", "api_key", "key-pair", "api-key",
    ]
    private static let secretPrefixes = ["x-amz-", "x-goog-", "x-xet-"]
}
