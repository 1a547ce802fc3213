// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
public import ParleyHTTP

/// The key with which a server knows its clients; it is never shown or logged.
public struct RemoteKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key itself, for the header of a request.
    let secret: String

    /// The maximum length of a key in bytes.
    private static let longest = 4_096

    /// Creates a key from its text; white space around it is left out.
    ///
    /// - Throws: ``RemoteError`` with code `invalidAddress` if it is empty, too long, or has characters that cannot be
    ///   sent.
    public init(_ text: String) throws {
        let bytes = Array(text.utf8)
        let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let secret = Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        guard !secret.isEmpty, secret.count <= Self.longest, secret.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw RemoteError(
                .invalidAddress,
                "The key is empty, longer than \(Self.longest) bytes, or has characters that keys lack.")
        }
        self.secret = String(decoding: secret, as: UTF8.self)
    }

    /// Reads a key from a file that has nothing else, and that nobody but its user may read, as far as the user decides
    /// that (not for secrets of containers); or from a pipe, such as `/dev/fd/3`.
    ///
    /// - Throws: ``RemoteError`` with code `invalidAddress`.
    public init(contentsOf file: URL) throws {
        let text: Data
        do {
            text = try WholeFile.secret(in: file, limit: Self.longest + 2, orPipe: true)
        } catch {
            let problem =
                switch error.code {
                case .exposed: "Others may read the file of the key, \(file.path); 'chmod 600' it."
                case .tooLarge: "The file of the key, \(file.path), has more than a key."
                default: "The file of the key, \(file.path), cannot be read."
                }
            throw RemoteError(.invalidAddress, problem, cause: error)
        }
        try self.init(String(decoding: text, as: UTF8.self))
    }

    /// The key for an address that the environment has: `PARLEY_API_KEY`, or for `https://api.openai.com` alone
    /// `OPENAI_API_KEY`.
    ///
    /// - Returns: the key; nil if there is none for this address.
    /// - Throws: ``RemoteError`` with code `invalidAddress` if the variable has no key.
    public static func ofEnvironment(_ environment: ProcessEnvironment = .process, for url: URL) throws -> RemoteKey? {
        if let own = environment["PARLEY_API_KEY"] { return try RemoteKey(own) }
        // Another server that speaks the same API must not get the key to an account there.
        guard isOpenAI(url), let other = environment["OPENAI_API_KEY"] else { return nil }
        return try RemoteKey(other)
    }

    /// Whether an address is that of OpenAI's own API.
    static func isOpenAI(_ url: URL) -> Bool { url.origin == "https://api.openai.com:443" }

    /// A text that is the same for all keys.
    public var description: String { "a key" }

    /// A text that is the same for all keys.
    public var debugDescription: String { description }

    /// A mirror without contents.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
