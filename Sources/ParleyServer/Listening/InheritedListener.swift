// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ParleyHTTP
import ServiceLifecycle
import Synchronization

/// Serves the connections of a socket that another program has bound and handed over, as systemd does.
///
/// The server of Hummingbird only binds addresses itself. This is its loop, over SwiftNIO's listener of a bound socket
/// and the connections of Hummingbird.
struct InheritedListener<Connections: ServerChildChannel>: Service {
    let descriptor: CInt
    let connections: Connections
    /// How many connections are open at a time; others wait in the queue of the socket.
    let mostConnections: Int
    let logger: Logger
    let onListening: @Sendable (any Channel) async -> Void

    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let (connections, mostConnections, logger) = (connections, mostConnections, logger)
        let arrivals = Arrivals()
        let listener = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(maxConnections: mostConnections))
                    try pipeline.addHandler(arrivals)
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
                            arrivals.take()
                        }
                    }
                } catch {
                    logger.error("Connections are no longer accepted.", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            arrivals.end(listener.channel) { quiescing.initiateShutdown(promise: nil) }
        }
    }
}

/// Counts the connections that a listener accepts and those that are being served: one that has been accepted is lost
/// if its listener is closed before its turn has come.
private final class Arrivals: ChannelDuplexHandler, Sendable {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let accepted = Atomic(0)
    private let taken = Atomic(0)
    private let hasEnded = Atomic(false)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        accepted.add(1, ordering: .relaxed)
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if !hasEnded.load(ordering: .relaxed) { context.read() }
    }

    /// One of those that were accepted is being served.
    func take() { taken.add(1, ordering: .relaxed) }

    /// Accepts nobody any more, and calls a closure as soon as nobody waits for a turn.
    func end(_ listener: any Channel, _ body: @escaping @Sendable () -> Void) {
        listener.eventLoop.execute { [self] in
            hasEnded.store(true, ordering: .relaxed)
            // On its own loop this holds at once.
            _ = listener.setOption(.autoRead, value: false)
            whenTaken(on: listener.eventLoop, body)
        }
    }

    /// Calls a closure as soon as nobody waits for a turn, or after a second: one that went at once never has its turn.
    private func whenTaken(on loop: any EventLoop, tries: Int = 1_000, _ body: @escaping @Sendable () -> Void) {
        loop.execute { [self] in
            let areTaken = accepted.load(ordering: .relaxed) == taken.load(ordering: .relaxed)
            guard !areTaken, tries > 0 else { return body() }
            loop.scheduleTask(in: .milliseconds(1)) { [self] in whenTaken(on: loop, tries: tries - 1, body) }
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
            response.headers[.date] = HTTPDate.now
            try await writer.write(response: response.head, body: response.body)
        }
    }
}
