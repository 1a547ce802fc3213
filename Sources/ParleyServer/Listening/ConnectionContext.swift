// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Logging
import NIOCore

/// The connection that a request came through.
struct ConnectionContext: InitializableFromSource, Sendable {
    /// The connection.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
    }

    /// Where the request comes from, without the port; the same for all who use a socket in the file system.
    var address: String { channel.remoteAddress?.ipAddress ?? "local" }

    /// Whether the connection is a socket in the file system.
    var isLocalSocket: Bool { channel.remoteAddress?.ipAddress == nil }

    /// What reads the body of a request, in the room that it claims.
    func bodyReader(_ limits: ServerLimits, _ claim: RequestClaim) -> BodyReader {
        BodyReader(limits, claim: claim) { [channel] in try await channel.triggerUserOutboundEvent(BodyWanted()).get() }
    }

    /// What notices that the client goes.
    func watch() async throws -> ConnectionWatch {
        try await channel.pipeline.handler(type: ConnectionWatch.self).get()
    }
}
