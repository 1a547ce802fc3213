// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModels
import ParleyTestSupport
import ParleyTesting

extension WebServer {
    /// A page as the hub has it.
    struct Page: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body = Data()
    }

    /// A server with a page for each path with query, and ranges of them; the pages are made for the server's address,
    /// so that they may name it. For anything else it answers as the hub does for a repository that does not exist.
    convenience init(pages: @escaping @Sendable (_ root: String) -> [String: Page]) throws {
        try self.init { request in
            let root = "http://" + (request.headers["host"] ?? "")
            let page = pages(root)[request.path] ?? Page(status: 404, headers: ["X-Error-Code": "RepoNotFound"])
            guard page.status == 200, let range = request.range(of: page.body.count) else {
                return WebServerReply(page.status, headers: page.headers, body: page.body)
            }
            var headers = page.headers
            headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(page.body.count)"
            return WebServerReply(206, headers: headers, body: page.body[range])
        }
    }

    /// A resolver for which this server is the hub; no answer comes too late for it, however busy the machine is.
    func resolver(token: String? = nil) -> ModelResolver {
        var environment = ["HF_ENDPOINT": root]
        environment["HF_TOKEN"] = token
        return ModelResolver(
            hub: HubEndpoint(environment: ProcessEnvironment(environment)),
            client: URLSessionClient(clock: ManualClock()))
    }
}
