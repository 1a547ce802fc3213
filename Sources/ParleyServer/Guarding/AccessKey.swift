// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyJSON

/// A key of a client, of which only the SHA-256 is kept.
public struct AccessKey: Hashable, Sendable {
    /// The name under which the key is listed and logged.
    public var name: String
    /// The SHA-256 of the key, in hexadecimal digits.
    public var digest: String
    /// What the key may be used for.
    public var scopes: Set<KeyScope>
    /// How many requests for replies and other work may run or wait at a time for the key; nil for no limit.
    public var concurrent: Int?
    /// How many tokens the key may use in a minute; nil for no limit.
    public var tokensPerMinute: Int?
    /// What a later version has written of the key, which stays in the file.
    private var later: JSONObject = [:]
    private var laterScopes: [String] = []

    /// Creates a key from its digest.
    public init(
        name: String, digest: String, scopes: Set<KeyScope>, concurrent: Int? = nil, tokensPerMinute: Int? = nil
    ) {
        self.name = name
        self.digest = digest
        self.scopes = scopes
        self.concurrent = concurrent
        self.tokensPerMinute = tokensPerMinute
    }

    /// Makes a key of 256 random bits.
    ///
    /// - Parameters:
    ///   - name: the name under which it is listed and logged.
    ///   - scopes: what it may be used for.
    ///   - concurrent: how many requests may run or wait at a time.
    ///   - tokensPerMinute: how many tokens it may use in a minute.
    /// - Returns: the key to keep, and the secret to show once.
    public static func make(
        name: String, scopes: Set<KeyScope>, concurrent: Int? = nil, tokensPerMinute: Int? = nil
    ) -> (key: AccessKey, secret: String) {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<4).map { _ in generator.next() as UInt64 }
        let secret = "parley-" + words.map { word in Self.hexadecimal(word) }.joined()
        let key = AccessKey(
            name: name, digest: digest(of: secret), scopes: scopes, concurrent: concurrent,
            tokensPerMinute: tokensPerMinute)
        return (key, secret)
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The digest of a secret.
    static func digest(of secret: String) -> String { SHA256Hash.hexadecimal(of: Data(secret.utf8)) }

    /// The key as it is kept.
    var json: JSONValue {
        let names = KeyScope.allCases.filter(scopes.contains).map(\.rawValue) + laterScopes
        var members: JSONObject = [
            "name": .string(name), "sha256": .string(digest), "scopes": .array(names.map { .string($0) }),
        ]
        members["concurrent"] = concurrent.map(JSONValue.integer)
        members["tokens_per_minute"] = tokensPerMinute.map(JSONValue.integer)
        members.merge(later) { own, _ in own }
        return .object(members)
    }

    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let digest = json["sha256"]?.string, digest.utf8.count == 64,
            let scopes = json["scopes"]?.array?.compactMap(\.string)
        else { return nil }
        self.init(
            name: name, digest: digest, scopes: Set(scopes.compactMap(KeyScope.init(rawValue:))),
            concurrent: json["concurrent"]?.integer, tokensPerMinute: json["tokens_per_minute"]?.integer)
        laterScopes = scopes.filter { KeyScope(rawValue: $0) == nil }
        let known: Set = ["name", "sha256", "scopes", "concurrent", "tokens_per_minute"]
        for (name, value) in json.object ?? [:] where !known.contains(name) { later[name] = value }
    }
}
