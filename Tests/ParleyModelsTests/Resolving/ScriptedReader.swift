// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import Synchronization

/// A web that holds what it is given, and remembers what it was asked for.
final class ScriptedReader: WebReader {
    private let pages: [String: WebAnswer]
    private let requests = Mutex<[WebRequest]>([])

    /// - Parameter pages: answers by address; what begins with `HEAD ` is for such requests only.
    init(_ pages: [String: WebAnswer]) {
        self.pages = pages
    }

    /// The requests that came, in order.
    var asked: [WebRequest] { requests.withLock { $0 } }

    func answer(to request: WebRequest) async throws -> WebAnswer {
        requests.withLock { $0.append(request) }
        let address = request.url.absoluteString
        let page = pages["\(request.method) \(address)"] ?? pages[address]
        return page ?? WebAnswer(status: 404, headers: ["X-Error-Code": "RepoNotFound"])
    }
}

extension WebAnswer {
    /// A page of text.
    static func text(_ text: String, headers: [String: String] = [:]) -> WebAnswer {
        WebAnswer(status: 200, headers: headers, body: Data(text.utf8))
    }

    /// A listing of the hub.
    static func listing(_ files: [(path: String, size: Int, sha256: String?)], headers: [String: String] = [:]) -> Self
    {
        let entries = files.map { file in
            let large = file.sha256.map { #","lfs":{"oid":"\#($0)","size":\#(file.size),"pointerSize":134}"# } ?? ""
            return #"{"type":"file","oid":"00","size":\#(file.size),"path":"\#(file.path)"\#(large)}"#
        }
        return text(
            "[" + (entries + [#"{"type":"directory","oid":"00","size":0,"path":"folder"}"#]).joined(separator: ",")
                + "]", headers: headers)
    }
}
