// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// Serves the connections of a socket that another program has bound and handed over, as systemd does.
///
/// The server of Hummingbird only binds addresses itself. This is its loop, over SwiftNIO's listener of a bound socket
/// and the connections of Hummingbird.
struct InheritedListener: Service {
    let descriptor: CInt
    let connections: HTTP1Channel
    /// How many connections are open at a time; others wait in the queue of the socket.
    let mostConnections: Int
    let logger: Logger
    let onListening: @Sendable (any Channel) async -> Void

    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let (connections, mostConnections, logger) = (connections, mostConnections, logger)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(maxConnections: mostConnections))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            // A client may say that it sends nothing more, and wait for its answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(descriptor) { connections.setup(channel: $0, logger: logger) }
        await withGracefulShutdownHandler {
            await onListening(listener.channel)
            await withDiscardingTaskGroup { tasks in
                do {
                    try await listener.executeThenClose { inbound in
                        for try await connection in inbound {
                            tasks.addTask { await connections.handle(value: connection, logger: logger) }
                        }
                    }
                } catch {
                    logger.error("Connections are no longer accepted.", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }
}

extension APIResponder {
    /// What answers the requests of a connection, as Hummingbird's `Application` does around a responder.
    func answering(serverName: String, logger: Logger) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            let context = ConnectionContext(source: .init(channel: channel, logger: logger))
            var response = try await respond(to: request, context: context)
            response.headers[.server] = serverName
            response.headers[.date] = HTTPTime.now
            try await writer.write(response: response.head, body: response.body)
        }
    }
}
