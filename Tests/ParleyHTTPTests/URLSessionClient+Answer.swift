// SPDX-License-Identifier: Apache-2.0

import ParleyHTTP
import ParleyTestSupport

extension URLSessionClient {
    /// The answer of a server, of at most one MiB.
    func answer(from server: WebServer, _ path: String = "/") async throws -> HTTPAnswer {
        // A release build frees it after its last use otherwise, before it has answered.
        defer { withExtendedLifetime(server) {} }
        return try await answer(to: HTTPRequest(server.url(path)), upTo: 1 << 20)
    }
}
