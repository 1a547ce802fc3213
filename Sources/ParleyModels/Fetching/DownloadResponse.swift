// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyHTTP
package import ParleySystem

/// The status and headers of a response to the request for a file.
package struct DownloadResponse: Hashable, Sendable {
    /// The HTTP status code.
    package var status: Int
    /// The length of the body (`Content-Length`); nil where it is missing or not a valid length.
    package var byteCount: ByteSize?
    /// The offsets of the file's bytes that the body contains (`Content-Range`); nil where the whole file was sent.
    /// They lie within ``totalByteCount`` where that is known.
    package var range: Range<Int64>?
    /// The length of the whole file, from `Content-Range`; nil where it is missing or not a valid length.
    package var totalByteCount: ByteSize?
    /// The version of the file on the server.
    package var validator: FileValidator
    /// How long to wait before the next request (`Retry-After`); nil where the server does not say.
    package var retryAfter: Duration?
    /// Whether the body is a web page by its type.
    package var isPage: Bool

    /// Reads the status and the headers of an answer.
    package init(status: Int, headers: HTTPHeaders) {
        self.status = status
        byteCount = headers["content-length"].flatMap { ByteSize(digits: $0) }
        (range, totalByteCount) = Self.contentRange(headers["content-range"])
        validator = FileValidator(etag: headers["etag"], lastModified: headers["last-modified"])
        retryAfter = headers.requestedWait()
        isPage = headers.mediaType == "text/html"
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

/// Identifies a version of a file on a server (RFC 9110, section 8.8).
package struct FileValidator: Codable, Hashable, Sendable {
    /// The entity tag (`ETag`).
    package let etag: String?
    /// The date of the last change (`Last-Modified`), as the server wrote it.
    package let lastModified: String?

    /// Creates a validator.
    ///
    /// Values that cannot be sent back in a header are dropped: those with anything but printable ASCII, and very long
    /// ones.
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

    /// The value for `If-Range`: the entity tag if it is a strong one, otherwise the date.
    var ifRange: String? {
        if let etag, !etag.hasPrefix("W/") { return etag }
        return lastModified
    }
}

/// Why an attempt to download a file failed, and whether another attempt may succeed.
struct DownloadFailure: Error {
    /// The error to report.
    var error: ModelStoreError
    /// Whether the same request may succeed later.
    var isTemporary: Bool
    /// How long the server asks to wait before the next request.
    var retryAfter: Duration?

    /// Classifies an error: network failures are temporary, a full disk is not.
    init(_ error: ModelStoreError) {
        self.error = error
        isTemporary = error.code == .unreachable
    }

    init(_ error: ModelStoreError, isTemporary: Bool) {
        self.error = error
        self.isTemporary = isTemporary
    }

    /// The failure that an HTTP status stands for; nil for success.
    init?(_ response: DownloadResponse, to target: DownloadTarget) {
        let host = target.host
        let address = target.url.redacted.absoluteString
        retryAfter = response.retryAfter
        isTemporary = false
        switch response.status {
        case 200..<300:
            return nil
        case 401:
            error = ModelStoreError(
                .notAuthorized,
                "\(host) requires authorization for \(address) (status 401). "
                    + (target.isOnHub
                        ? "Set HF_TOKEN to a token of your account, and accept the model's licence on its page where "
                            + "there is one." : target.credentialsRemedy))
        case 403:
            error = ModelStoreError(
                .notAuthorized,
                "\(host) refuses \(address) (status 403). "
                    + (target.isOnHub
                        ? "Accept the model's licence on its page, or set HF_TOKEN to a token that may read it."
                        : target.credentialsRemedy))
        case 404, 410:
            error = ModelStoreError(
                .notFound,
                "\(host) has no \(address) (status \(response.status)). Check the name of the file.")
        case 429:
            error = ModelStoreError(
                .unreachable, "\(host) has had too many requests (status 429). Try again later.")
            isTemporary = true
        case 408, 425, 500..<600:
            error = ModelStoreError(
                .unreachable, "\(host) answered with status \(response.status). Try again later.")
            isTemporary = true
        default:
            error = ModelStoreError(
                .unreachable, "\(host) answered with status \(response.status).")
        }
    }
}
