// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyOpenAI
import ParleyServer

/// The keys of the server as the page shows, adds and removes them.
///
/// Only a key that may manage the server changes others, and it gives nobody more than it has itself.
struct KeyDesk: Sendable {
    /// The longest name of a key, in characters.
    static let longestName = 64

    let store: KeyStore?

    /// The keys; null where they are not managed here.
    var json: JSONValue {
        guard let store, store.isManaged else { return .null }
        return .array(
            store.ring.keys.map { key in
                [
                    "name": .string(key.name), "scopes": Self.json(key.scopes),
                    "last_used": store.lastUse(of: key.name).map { .number($0.timeIntervalSince1970) } ?? .null,
                ]
            })
    }

    /// The key of a page, of which the page has to know what it may do.
    static func json(_ key: AccessKey?) -> JSONValue {
        guard let key else { return .null }
        return ["name": .string(key.name), "scopes": json(key.scopes)]
    }

    private static func json(_ scopes: Set<KeyScope>) -> JSONValue {
        .array(KeyScope.allCases.filter(scopes.contains).map { .string($0.rawValue) })
    }

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - scopes: what it may be used for.
    ///   - key: the key of the page that asks for it.
    /// - Returns: the secret, which is told this once.
    /// - Throws: ``/ParleyServer/ServerError``.
    func add(_ name: String, for scopes: [String], by key: AccessKey?) async throws -> String {
        let (store, asker) = try managed(by: key)
        let name = name.trimmingCharacters(in: .whitespaces)
        guard (1...Self.longestName).contains(name.count), name != asker.name,
            !name.unicodeScalars.contains(where: { CharacterSet.controlCharacters.contains($0) })
        else {
            throw Self.invalid("A key has a name of 1 to \(Self.longestName) characters that no other key has.", "name")
        }
        let scopes = Set(scopes.map { KeyScope(rawValue: $0) })
        guard !scopes.isEmpty, !scopes.contains(nil) else {
            let known = KeyScope.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.invalid("A key has one or more of these scopes: \(known).", "scopes")
        }
        let wanted = Set(scopes.compactMap(\.self))
        guard wanted.isSubset(of: asker.scopes) else {
            throw ServerError(403, .refused, "A key gives no other one more than it may do itself.", param: "scopes")
        }
        return try await store.add(name, for: wanted)
    }

    /// Removes a key.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - evenIfUsed: whether it may be the one of the page that asks, which is locked out then.
    ///   - key: the key of the page that asks for it.
    /// - Throws: ``/ParleyServer/ServerError``.
    func remove(_ name: String, evenIfUsed: Bool, by key: AccessKey?) async throws {
        let (store, asker) = try managed(by: key)
        guard name != asker.name || evenIfUsed else {
            throw ServerError(
                409, .refused, "This browser itself uses the key \(name) and would be locked out.", param: "name")
        }
        try await store.remove(name)
    }

    private func managed(by key: AccessKey?) throws(ServerError) -> (KeyStore, AccessKey) {
        guard let store, store.isManaged, let key else {
            throw ServerError(
                404, .notFound, "Keys are added and removed in a terminal here: parley serve keys.")
        }
        guard key.scopes.contains(.admin) else {
            throw ServerError(
                403, .refused, "The key of this browser may not manage others; it lacks the scope admin.")
        }
        return (store, key)
    }

    private static func invalid(_ message: String, _ name: String) -> ServerError {
        ServerError(400, .invalidValue, message, param: name)
    }
}
