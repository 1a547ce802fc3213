// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyMCP

/// The server of `server.py`, which needs Python 3 and nothing else.
enum SmallServer {
    /// A client of a server that errs in some way.
    static func client(_ mode: String = "", limits: MCPLimits = .patient) -> MCPClient {
        MCPClient(name: "small", transport: transport(mode, limits: limits), limits: limits)
    }

    /// The way to a server that errs in some way. Some do not end by themselves, so that is not waited for.
    static func transport(_ mode: String = "", limits: MCPLimits = .patient) -> ProcessTransport {
        var limits = limits
        limits.closing = .milliseconds(300)
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py").path
        return ProcessTransport(
            command: "python3", arguments: [script, mode], environment: ["PATH": "/usr/bin:/bin", "GREETING": "hello"],
            limits: limits)
    }
}
