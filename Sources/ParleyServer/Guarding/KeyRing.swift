// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
import ParleyJSON
import ParleyOpenAI

/// The keys that the server knows, in a file that only its user may read.
public struct KeyRing: Hashable, Sendable {
    /// The keys, in the order in which they were added.
    public private(set) var keys: [AccessKey]

    /// Creates a ring with keys.
    public init(_ keys: [AccessKey] = []) {
        self.keys = keys
    }

    /// Whether any key may be used for something.
    public func has(_ scope: KeyScope) -> Bool { keys.contains { $0.scopes.contains(scope) } }

    /// Adds a key.
    ///
    /// - Throws: ``ServerError`` if there is one of the name, or the name could not be listed.
    public mutating func add(_ key: AccessKey) throws(ServerError) {
        let isBlank = key.name.allSatisfy(\.isWhitespace)
        guard !isBlank, !key.name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ServerError(400, .invalidValue, "The name of a key must not be empty or have control characters.")
        }
        guard !keys.contains(where: { $0.name == key.name }) else {
            throw ServerError(400, .invalidValue, "There is a key named \(key.name); remove it, or take another name.")
        }
        keys.append(key)
    }

    /// Removes the key of a name.
    ///
    /// - Throws: ``ServerError`` if there is none.
    public mutating func remove(_ name: String) throws(ServerError) {
        let count = keys.count
        keys.removeAll { $0.name == name }
        guard keys.count < count else { throw ServerError(404, .notFound, "There is no key named \(name).") }
    }

    /// The key of a secret; nil if there is none. The time it takes tells nothing about the keys.
    package func key(of secret: String) -> AccessKey? {
        let digest = Array(AccessKey.digest(of: secret).utf8)
        var found: AccessKey?
        for key in keys {
            var difference: UInt8 = 0
            for (own, other) in zip(key.digest.utf8, digest) { difference |= own ^ other }
            if difference == 0 { found = key }
        }
        return found
    }

    /// Reads the keys of a file; there are none if it does not exist.
    ///
    /// - Throws: ``ServerError`` if the file cannot be read or is not a list of keys.
    public init(reading file: URL) throws(ServerError) {
        let bytes: Data
        do {
            bytes = try WholeFile.contents(of: file, limit: 4 << 20)
        } catch {
            guard error.code == .notFound else {
                throw ServerError(500, .invalidValue, "The file of keys cannot be read: \(error)", cause: error)
            }
            keys = []
            return
        }
        guard let list = (try? JSONValue(parsing: bytes))?["keys"]?.array else { throw Self.damaged }
        keys = []
        for json in list {
            guard let key = AccessKey(json) else { throw Self.damaged }
            keys.append(key)
        }
    }

    /// Changes the keys of a file, one program after another.
    ///
    /// - Parameters:
    ///   - file: the file, which is made if it does not exist.
    ///   - body: what is done to the keys; if it throws, they stay as they are.
    ///   - kept: is given the keys as they are then, before anybody else changes them.
    /// - Throws: ``ServerError`` if the file cannot be read or written, and what the change throws.
    package static func change(
        in file: URL, _ body: (inout KeyRing) throws -> Void, kept: (KeyRing) -> Void = { _ in }
    ) async throws {
        let lock: FileLock
        do {
            try FilePlace.create(file.deletingLastPathComponent())
            lock = try await FileLock.wait(.exclusive, at: file.appendingPathExtension("lock"))
        } catch let error as FileError {
            throw unwritable(error)
        }
        defer { withExtendedLifetime(lock) {} }
        var ring = try KeyRing(reading: file)
        try body(&ring)
        try ring.write(to: file)
        kept(ring)
    }

    private static let damaged = ServerError(
        500, .invalidJSON, "The file of keys is damaged. Remove it and add the keys again.")

    /// Writes the keys to a file that only its user may read.
    ///
    /// - Throws: ``ServerError`` if it cannot be written.
    public func write(to file: URL) throws(ServerError) {
        do {
            try FilePlace.create(file.deletingLastPathComponent())
            let text = JSONValue.object(["keys": .array(keys.map(\.json))]).text()
            try WholeFile.write(Data((text + "\n").utf8), to: file)
        } catch {
            throw Self.unwritable(error)
        }
    }

    private static func unwritable(_ error: FileError) -> ServerError {
        ServerError(500, .invalidValue, "The file of keys cannot be written: \(error)", cause: error)
    }
}
