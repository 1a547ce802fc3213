// SPDX-License-Identifier: Apache-2.0

public import ParleyModelFile

/// The head of an answer to a ``DownloadRequest``.
public struct DownloadResponse: Hashable, Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The length of the body, where the server tells it and it is one.
    public var byteCount: ByteSize?
    /// Which bytes of the file the body holds, for a part of it; within the file, where its length is told.
    public var range: Range<Int64>?
    /// The length of the whole file, where a part was sent and the server tells it and it is one.
    public var totalByteCount: ByteSize?
    /// What tells this state of the file from any other.
    public var validator: FileValidator
    /// How long the server asks to be left alone.
    public var retryAfter: Duration?

    /// Creates a response from its status and headers, whose names may have any case.
    public init(status: Int, headers: [String: String]) {
        let headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { first, _ in first }
        self.status = status
        byteCount = headers["content-length"].flatMap { ByteSize(digits: $0) }
        (range, totalByteCount) = Self.contentRange(headers["content-range"])
        validator = FileValidator(etag: headers["etag"], lastModified: headers["last-modified"])
        // The header's other form, a date, is rare and left to the back-off.
        retryAfter = headers["retry-after"].flatMap { ByteSize(digits: $0) }.map { .seconds($0.bytes) }
    }

    /// Reads `bytes 0-9/20`.
    private static func contentRange(_ text: String?) -> (Range<Int64>?, ByteSize?) {
        guard let text, text.lowercased().hasPrefix("bytes ") else { return (nil, nil) }
        let parts = text.dropFirst(6).split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return (nil, nil) }
        let total = ByteSize(digits: parts[1])
        guard total != nil || parts[1] == "*" else { return (nil, nil) }
        let ends = parts[0].split(separator: "-", maxSplits: 1).map { ByteSize(digits: $0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .limit else {
            return (nil, total)
        }
        return (first.bytes..<(last.bytes + 1), total)
    }
}

/// What tells one state of a file on a server from another.
public struct FileValidator: Codable, Hashable, Sendable {
    /// The entity tag.
    public let etag: String?
    /// When it was last changed, as the server wrote it.
    public let lastModified: String?

    /// Creates a validator.
    ///
    /// What could not be sent back in a header is left out: anything but printable ASCII, and what is very long.
    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag.flatMap(Self.sendable)
        self.lastModified = lastModified.flatMap(Self.sendable)
    }

    /// Reads a validator, as from a journal.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            etag: try values.decodeIfPresent(String.self, forKey: .etag),
            lastModified: try values.decodeIfPresent(String.self, forKey: .lastModified))
    }

    private static func sendable(_ text: String) -> String? {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
    }

    /// What `If-Range` may hold: a strong entity tag, else the date.
    var ifRange: String? {
        if let etag, !etag.hasPrefix("W/") { return etag }
        return lastModified
    }
}
