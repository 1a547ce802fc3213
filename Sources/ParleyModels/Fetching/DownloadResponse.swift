// SPDX-License-Identifier: Apache-2.0

/// The head of an answer to a ``DownloadRequest``.
public struct DownloadResponse: Hashable, Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The length of the body, where the server tells it.
    public var byteCount: Int64?
    /// Which bytes of the file the body holds, for a part of it.
    public var range: Range<Int64>?
    /// The length of the whole file, where a part was sent and the server tells it.
    public var totalByteCount: Int64?
    /// What tells this state of the file from any other.
    public var validator: FileValidator
    /// How long the server asks to be left alone.
    public var retryAfter: Duration?

    /// Creates a response from its status and headers, whose names may have any case.
    public init(status: Int, headers: [String: String]) {
        let headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { first, _ in first }
        self.status = status
        byteCount = headers["content-length"].flatMap { Int64($0) }
        (range, totalByteCount) = Self.contentRange(headers["content-range"])
        validator = FileValidator(etag: headers["etag"], lastModified: headers["last-modified"])
        // The header's other form, a date, is rare and left to the back-off.
        retryAfter = headers["retry-after"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? .seconds($0) : nil }
    }

    /// Reads `bytes 0-9/20`.
    private static func contentRange(_ text: String?) -> (Range<Int64>?, Int64?) {
        guard let text, text.lowercased().hasPrefix("bytes ") else { return (nil, nil) }
        let parts = text.dropFirst(6).split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return (nil, nil) }
        let total = Int64(parts[1])
        let ends = parts[0].split(separator: "-", maxSplits: 1).map { Int64($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 0, first <= last, last < .max else {
            return (nil, total)
        }
        return (first..<(last + 1), total)
    }
}

/// What tells one state of a file on a server from another.
public struct FileValidator: Codable, Hashable, Sendable {
    /// The entity tag.
    public var etag: String?
    /// When it was last changed, as the server wrote it.
    public var lastModified: String?

    /// Creates a validator.
    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    /// What `If-Range` may hold: a strong entity tag, else the date.
    var ifRange: String? {
        if let etag, !etag.hasPrefix("W/") { return etag }
        return lastModified
    }
}
