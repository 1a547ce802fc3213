// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModels
import Synchronization

/// An HTTP client with given pages, which records its requests.
final class ScriptedWeb: HTTPClient {
    private let pages: [String: HTTPAnswer]
    private let requests = Mutex<[HTTPRequest]>([])

    /// - Parameter pages: the responses by address; a key beginning with `HEAD ` is for such requests only.
    init(_ pages: [String: HTTPAnswer]) {
        self.pages = pages
    }

    /// The requests that came, in order.
    var asked: [HTTPRequest] { requests.withLock { $0 } }

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        requests.withLock { $0.append(request) }
        let address = request.url.absoluteString
        let page = pages["\(request.method) \(address)"] ?? pages[address]
        let answer = page ?? HTTPAnswer(status: 404, headers: ["X-Error-Code": "RepoNotFound"])
        return try await use(
            HTTPResponse(status: answer.status, headers: answer.headers, body: HTTPBody([answer.body])))
    }
}

extension HTTPAnswer {
    /// A page of text.
    static func text(_ text: String, headers: HTTPHeaders = [:]) -> HTTPAnswer {
        HTTPAnswer(status: 200, headers: headers, body: Data(text.utf8))
    }

    /// A listing of the hub.
    static func listing(_ files: [(path: String, size: Int, sha256: String?)], headers: HTTPHeaders = [:]) -> Self {
        let entries = files.map { file in
            let large = file.sha256.map { #","lfs":{"oid":"\#($0)","size":\#(file.size),"pointerSize":134}"# } ?? ""
            return #"{"type":"file","oid":"00","size":\#(file.size),"path":"\#(file.path)"\#(large)}"#
        }
        return text(
            "[" + (entries + [#"{"type":"directory","oid":"00","size":0,"path":"folder"}"#]).joined(separator: ",")
                + "]", headers: headers)
    }
}
