// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Why an attempt to get a file failed, and whether another one may succeed.
struct HTTPFailure: Error {
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
