// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyHTTP
package import ParleySystem

/// What the head of an answer says of the file that was asked for.
package struct DownloadResponse: Hashable, Sendable {
    /// The status of HTTP.
    package var status: Int
    /// The length of the body, where the server tells it and it is one.
    package var byteCount: ByteSize?
    /// Which bytes of the file the body holds, for a part of it; within the file, where its length is told.
    package var range: Range<Int64>?
    /// The length of the whole file, where a part was sent and the server tells it and it is one.
    package var totalByteCount: ByteSize?
    /// What tells this state of the file from any other.
    package var validator: FileValidator
    /// How long the server asks to be left alone.
    package var retryAfter: Duration?

    /// Reads the status and the headers of an answer.
    package init(status: Int, headers: HTTPHeaders) {
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
package struct FileValidator: Codable, Hashable, Sendable {
    /// The entity tag.
    package let etag: String?
    /// When it was last changed, as the server wrote it.
    package let lastModified: String?

    /// Creates a validator.
    ///
    /// What could not be sent back in a header is left out: anything but printable ASCII, and what is very long.
    package init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag.flatMap(Self.sendable)
        self.lastModified = lastModified.flatMap(Self.sendable)
    }

    /// Reads a validator, as from a journal.
    package init(from decoder: any Decoder) throws {
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

/// Why an attempt to get a file failed, and whether another one may succeed.
struct DownloadFailure: Error {
    /// What to tell.
    var error: ModelStoreError
    /// Whether the same request may succeed later.
    var isTemporary: Bool
    /// How long the server asks to be left alone.
    var retryAfter: Duration?

    /// What an error of a downloader means: the network may come back, a full disk will not.
    init(_ error: ModelStoreError) {
        self.error = error
        isTemporary = error.code == .unreachable
    }

    init(_ error: ModelStoreError, isTemporary: Bool) {
        self.error = error
        self.isTemporary = isTemporary
    }

    /// What a status other than success means; nil for success.
    init?(_ response: DownloadResponse, url: URL) {
        let host = url.host() ?? "The server"
        let address = url.redacted.absoluteString
        retryAfter = response.retryAfter
        isTemporary = false
        switch response.status {
        case 200..<300:
            return nil
        case 401:
            error = ModelStoreError(
                code: .notAuthorized,
                message: "\(host) wants to know who asks for \(address) (status 401). Set HF_TOKEN to a token of your "
                    + "account, and accept the model's licence on its page where there is one.")
        case 403:
            error = ModelStoreError(
                code: .notAuthorized,
                message: "\(host) refuses \(address) (status 403). Accept the model's licence on its page, or set "
                    + "HF_TOKEN to a token that may read it.")
        case 404, 410:
            error = ModelStoreError(
                code: .notFound,
                message: "\(host) has no \(address) (status \(response.status)). Check the name of the file.")
        case 429:
            error = ModelStoreError(
                code: .unreachable, message: "\(host) has had too many requests (status 429). Try again later.")
            isTemporary = true
        case 408, 425, 500..<600:
            error = ModelStoreError(
                code: .unreachable, message: "\(host) answered with status \(response.status). Try again later.")
            isTemporary = true
        default:
            error = ModelStoreError(
                code: .unreachable, message: "\(host) answered with status \(response.status).")
        }
    }
}
