// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A page that a server shows, and what answers the requests of the page.
///
/// The guard has let the requests through: files are open to everybody, all else needs a key with the scope `data`.
package protocol ServedPage: Sendable {
    /// Answers a request.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func answer(_ request: PageRequest) async throws -> PageAnswer
}

/// A request for a page or of it.
package struct PageRequest: Sendable {
    /// What a request asks for.
    package enum Kind: Hashable, Sendable {
        /// The page itself, or one of its files.
        case file
        /// Data.
        case read
        /// A wish, in JSON, or what is said, as sound.
        case write
        /// Bytes to keep.
        case fill
    }

    /// What it asks for.
    package var kind: Kind
    /// The path below `/page/` or `/app/v1/`, without escapes; empty for the page itself.
    package var path: String
    /// The values in the address.
    package var query: [String: String]
    /// The key that has let it in; nil for files.
    package var key: AccessKey?
    /// The head's `If-None-Match`.
    package var knownTag: String?
    /// Reads the body: bytes within the limits of the server. A wish has to be JSON by its type.
    package var body: @Sendable () async throws -> [UInt8]

    /// Creates a request.
    package init(
        kind: Kind, path: String, query: [String: String] = [:], key: AccessKey? = nil, knownTag: String? = nil,
        body: @escaping @Sendable () async throws -> [UInt8] = { [] }
    ) {
        (self.kind, self.path, self.query, self.knownTag) = (kind, path, query, knownTag)
        (self.key, self.body) = (key, body)
    }
}

/// The answer to a request for a page or of it.
package enum PageAnswer: Sendable {
    /// Bytes of a type, with further fields of the head.
    case bytes([UInt8], type: String, fields: HTTPFields = [:])
    /// The client has the file already.
    case unchanged(fields: HTTPFields)
    /// Server-sent events, until the sequence ends or the client goes.
    case events(AsyncStream<String>)
}
