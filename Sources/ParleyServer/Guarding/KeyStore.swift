// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyOpenAI
import Synchronization

/// The keys of a server while it runs: what is added or removed counts from the next request on.
package final class KeyStore: Sendable {
    private struct State {
        var ring: KeyRing
        var uses: [String: Date] = [:]
        var onChange: @Sendable () -> Void = {}
    }

    /// No other lock is taken while this one is held.
    private let state: Mutex<State>
    private let file: URL?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - ring: the keys.
    ///   - file: where they are kept; nil for keys that cannot be changed.
    package init(_ ring: KeyRing = KeyRing(), file: URL? = nil) {
        state = Mutex(State(ring: ring))
        self.file = file
    }

    /// Sets what is done whenever keys have been added or removed, before anybody else changes them.
    package func onChange(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = action } }

    /// The keys as they are now.
    package var ring: KeyRing { state.withLock { $0.ring } }

    /// Whether keys can be added and removed.
    package var isManaged: Bool { file != nil }

    /// When each key was last used, by its name; nil for one that was not used since the start.
    package func lastUse(of name: String) -> Date? { state.withLock { $0.uses[name] } }

    /// Takes note that a key was used.
    func use(_ name: String) { state.withLock { $0.uses[name] = Date() } }

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - name: the name under which it is listed and logged.
    ///   - scopes: what it may be used for.
    /// - Returns: the secret, which cannot be asked for again.
    /// - Throws: ``ServerError`` if there is one of the name, or the file cannot be changed.
    package func add(_ name: String, for scopes: Set<KeyScope>) async throws -> String {
        let (key, secret) = AccessKey.make(name: name, scopes: scopes)
        try await change { ring throws(ServerError) in try ring.add(key) }
        return secret
    }

    /// Removes a key, which opens nothing from now on; what it has opened ends.
    ///
    /// - Throws: ``ServerError`` if there is none of the name, or the file cannot be changed.
    package func remove(_ name: String) async throws {
        try await change { ring throws(ServerError) in try ring.remove(name) }
        state.withLock { $0.uses[name] = nil }
    }

    private func change(_ body: (inout KeyRing) throws(ServerError) -> Void) async throws {
        guard let file else { throw ServerError(404, .notFound, "The keys of this server are not managed here.") }
        // What another program has changed meanwhile counts from now on too. Whoever changes the keys next waits until
        // these are taken over: an older ring in place of theirs would bring a removed key back.
        try await KeyRing.change(in: file, body) { changed in
            let onChange = state.withLock { state in
                state.ring = changed
                return state.onChange
            }
            onChange()
        }
    }
}
