// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import ServiceLifecycle

/// An HTTP server of OpenAI's API over models that it is handed.
///
/// It listens while ``run(onListening:)`` runs. ``drain()`` ends it: requests that run are given time to end, new ones
/// are refused meanwhile.
public final class APIServer: Sendable {
    private let state: ServerState
    private let group: @Sendable (_ onListening: @escaping @Sendable (Int?) async -> Void) throws -> ServiceGroup
    private let running = RunningGroup()
    /// What answers call the server.
    private static let name = "parley"

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - configuration: how it listens and whom it serves.
    ///   - models: the models.
    ///   - speech: the model that writes down speech; nil for none.
    ///   - logger: records a line for each request, and failures; never a prompt, a reply or a key.
    public init(
        _ configuration: ServerConfiguration, models: any ServedModels, speech: ServedSpeech? = nil,
        logger: Logger = Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }
    ) {
        let state = ServerState(configuration, models: models, speech: speech)
        self.state = state
        let limits = configuration.limits
        // The framework logs what it cannot know to be free of secrets.
        let silent = Logger(label: "parley.http") { _ in SwiftLogNoOpLogHandler() }
        let connections = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                HeadFailure(limits: limits) { RequestRecord(logger: logger, metrics: state.metrics, trace: nil) },
                ConnectionWatch(limits: limits, metrics: state.metrics, answersFirst: configuration.isHandedOver),
            ],
            idleTimeout: TimeAmount(limits.idleTime),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headBytes, maxHeaderListSize: limits.headBytes,
                maxHeaderFieldCount: limits.headFields))
        let certificate = configuration.certificate
        @Sendable func channel(_ responder: @escaping HTTPChannelHandler.Responder) throws -> any ServerChildChannel {
            let plain = HTTP1Channel(responder: responder, configuration: connections)
            return try certificate?.encrypting(plain) ?? plain
        }
        let responder = APIResponder(state: state, logger: logger)
        group = { onListening in
            let onServerRunning: @Sendable (any Channel) async -> Void = { await onListening($0.localAddress?.port) }
            func application(_ address: BindAddress) -> any Service {
                Application(
                    responder: responder, server: HTTPServerBuilder(channel),
                    configuration: ApplicationConfiguration(
                        address: address, serverName: Self.name,
                        availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
                    onServerRunning: onServerRunning, logger: silent)
            }
            func listener(_ descriptor: CInt, _ connections: some ServerChildChannel) -> any Service {
                InheritedListener(
                    descriptor: descriptor, connections: connections, mostConnections: limits.connections,
                    logger: silent, onListening: onServerRunning)
            }
            let service: any Service =
                switch configuration.address {
                case .internet(let host, let port): application(.hostname(host, port: port))
                case .socket(let path): application(.unixDomainSocket(path: path))
                case .inherited(let descriptor):
                    listener(descriptor, try channel(responder.answering(serverName: Self.name, logger: silent)))
                }
            return ServiceGroup(configuration: .init(services: [service], logger: silent))
        }
    }

    /// The models for what belongs to the server and makes no requests.
    package var admitted: AdmittedModels { AdmittedModels(state: state) }

    /// The keys of the clients.
    package var keys: KeyStore { state.requestGuard.keys }

    /// Whether requests are being answered.
    package var isBusy: Bool { state.isBusy }

    /// Answers the requests of a page from now on.
    package func show(_ page: any ServedPage) { state.show(page) }

    /// Listens until ``drain()`` has ended or the task is cancelled.
    ///
    /// - Parameter onListening: called once requests are taken, with the port.
    /// - Throws: ``ServerError`` if it cannot listen, for example because the address is taken; what else ends it.
    public func run(onListening: @escaping @Sendable (_ port: Int?) async -> Void = { _ in }) async throws {
        let group = try group(onListening)
        running.set(group)
        let state = state
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                tasks.addTask {
                    while !Task.isCancelled {
                        try await Task.sleep(for: .seconds(15))
                        await state.models.tidy(now: .now)
                    }
                }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        } catch {
            guard let failure = ServerError(listening: error, at: state.configuration.address) else { throw error }
            throw failure
        }
    }

    /// Takes no new requests, gives those that run the time that the limits say, and then ends ``run(onListening:)``.
    ///
    /// On a socket that was handed over no new connections are taken, and nobody is refused: whoever has connected is
    /// answered once more.
    public func drain() async { await drain(for: state.configuration.limits.drainTime) }

    /// As ``drain()``, with another time; while the server drains already, what runs then is ended after this one too.
    package func drain(for time: Duration) async {
        let isHandedOver = state.configuration.isHandedOver
        // Whoever connects from now on waits in the queue of the socket for the next server; the others are answered.
        if isHandedOver { await running.group?.triggerGracefulShutdown() }
        await state.drain(for: time, refuses: !isHandedOver)
        await running.group?.triggerGracefulShutdown()
    }
}
