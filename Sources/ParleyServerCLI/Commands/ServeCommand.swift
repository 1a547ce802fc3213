// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Logging
import ParleyActions
import ParleyAssistant
import ParleyCommandLine
import ParleyHTTP
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyPython
import ParleyServer
import ParleySystem
import ParleyWeb
import UnixSignals

/// `parley serve`: the server itself.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Serves models (the usual command).",
        discussion: """
            Models are named as in 'parley chat'. Those that are named are loaded at once and stay; the other ones on \
            this machine are loaded when they are asked for. Without a name the default model is served. \
            'parley serve keys' adds, lists and removes keys. A socket that systemd hands over is served in place of \
            --host, --port and --unix.
            """)

    @Argument(help: "The models to load.")
    var models: [String] = []

    @OptionGroup
    var options: ServeOptions

    func validate() throws {
        for one in options.allowOrigin where RequestGuard.origin(of: one) == nil {
            throw ValidationError("--allow-origin is of the form SCHEME://HOST or SCHEME://HOST:PORT.")
        }
    }

    func run() async throws {
        let logger = Logger(label: "parley-server") { _ in
            LineLog(isJSON: options.jsonLog, logLevel: options.quiet ? .error : .info)
        }
        let inherited = try InheritedSocket.given(by: .process)
        var configuration = try serverConfiguration(inherited)
        let library = ServedLibrary(
            store: .ofCommands, named: models, engine: options.engine, context: options.context,
            threads: options.threads, parallel: options.parallel, cacheMemory: options.kvMemory.map { $0 << 20 },
            cacheType: options.cacheType, power: options.power, logger: logger)
        let pool = try library.pool(keepAlive: .seconds(options.keepAlive))
        configuration.aliases = try library.identifiers(of: configuration.aliases, in: await pool.list())
        let own = try ServerKey(in: KeysCommand.file.deletingLastPathComponent().appending(path: "server.key"))
        configuration.ownKey = own.key
        let hearing: ServedSpeech? = if let speech = options.speech { try await library.speech(speech) } else { nil }
        let server = APIServer(configuration, models: pool, speech: hearing, logger: logger)
        var chat: RunningPage?
        do {
            if options.page { chat = try await showPage(on: server, hearing) }
        } catch let error where !options.open {
            // Another program may have the user's chats open; other programs' requests are served all the same.
            logger.warning("The web chat is not shown.", metadata: ["error": "\(error)"])
        }
        let (hasPage, opens) = (chat != nil, options.open)
        let remedy = library.remedy(hasPage: hasPage)
        let place = configuration.address
        let patience = configuration.limits.drainTime.components.seconds
        let served = inherited?.place
        let scheme = configuration.certificate == nil ? "http" : "https"
        // The socket is the user's alone from its first moment on.
        if options.unix != nil { umask(0o077) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await server.run { port in
                    let address = Self.announce(place, served, scheme, port, own, hasPage: hasPage)
                    if let remedy {
                        print(remedy)
                        fflush(nil)
                    }
                    if opens, let address { Browser.show(address) }
                }
            }
            tasks.addTask {
                do {
                    try await pool.loadPinned()
                } catch {
                    let name = await pool.list().first { $0.status == .failed }?.id ?? "A model"
                    throw CommandError("\(name) could not be loaded: \(ServedLibrary.reason(error))", cause: error)
                }
                for await _ in Self.never where !Task.isCancelled {}
            }
            tasks.addTask {
                var isFirst = true
                for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
                    guard isFirst else { Foundation.exit(1) }
                    isFirst = false
                    if signal == .sigint, server.isBusy {
                        let text = """
                            Ending when the replies that run have ended, \(patience) s at most; press Ctrl-C again to end \
                            at once.\n
                            """
                        StandardError.write(text)
                    }
                    Task { await server.drain() }
                }
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
        await chat?.close()
        await pool.unloadAll()
    }

    /// A sequence without elements that ends when its task is cancelled.
    private static var never: AsyncStream<Never> { AsyncStream { _ in } }

    /// Lets the server show the web chat over the data of the assistant.
    private func showPage(on server: APIServer, _ speech: ServedSpeech?) async throws -> RunningPage {
        let directory = ModelStore.dataDirectory(environment: .process)
        var setup = try AssistantSetup(AssistantHome(reading: directory)) { notice in
            if let remark = notice.remark { StandardError.write(PlainText.clean(remark) + "\n") }
        }
        let settings = try SettingsBoard(in: directory)
        setup.chat = { settings.chat }
        let assistant = try await setup.assistant(over: server.admitted.chatModels)
        for remark in assistant.remarks { StandardError.write(remark + "\n") }
        let files = try options.pageFolder.map { try PageFiles(folder: URL(filePath: $0)) } ?? .builtIn
        server.show(
            await WebPage(
                server.admitted, history: setup.history, settings: settings, keys: server.keys,
                attachments: AttachmentStore(setup.home.attachments), speech: speech, files: files,
                version: programVersion, engines: Self.engines, dependencies: assistant.dependencies))
        await setup.keeper.synchronise()
        return RunningPage(setup: setup, servers: assistant.servers)
    }

    /// The engines of this build, and those that another build can have.
    private static var engines: [PageEngine] {
        let builtIn = EngineDescriptor.builtIn.map { PageEngine($0.name, problem: $0.problem()) }
        return builtIn
            + OptionalEngine.all.filter { one in !builtIn.contains { $0.name == one.name } }.map {
                PageEngine($0.name, problem: OptionalEngine.absence)
            }
    }

    /// Says where the server is.
    ///
    /// - Returns: the address of the page, with its key; nil without one.
    private static func announce(
        _ place: ServerConfiguration.Address, _ inherited: InheritedSocket.Place?, _ scheme: String, _ port: Int?,
        _ own: ServerKey, hasPage: Bool
    ) -> String? {
        switch (place, inherited) {
        case (_, .internet(let host, let asked, _)), (.internet(let host, let asked), _):
            // A server that ends before it listens has no port.
            guard let number = [port, asked].compactMap(\.self).first(where: { $0 != 0 }) else { return nil }
            let name = host.contains(":") ? "[\(host)]" : host
            let page = "\(scheme)://\(name):\(number)/"
            print("Listening on \(page)v1")
            // What follows the # is sent to nobody. Later starts do not show it: the browser and the file have it.
            if own.isNew {
                let what = hasPage ? "The web chat" : "To manage it"
                print("\(what), with its key, which is shown this once: \(page)#key=\(own.secret)")
            } else if hasPage {
                print("The web chat: \(page) (parley serve --open brings its key along)")
            }
            fflush(nil)
            return hasPage ? "\(page)#key=\(own.secret)" : nil
        case (.socket(let path), _):
            chmod(path, 0o600)
            print("Listening on the socket \(path)")
        case (.inherited, .path(let path)): print("Listening on the socket \(path)")
        case (.inherited, nil): break
        }
        fflush(nil)
        return nil
    }

    private func serverConfiguration(_ inherited: InheritedSocket?) throws -> ServerConfiguration {
        let address: ServerConfiguration.Address =
            inherited.map { .inherited(descriptor: $0.descriptor) } ?? options.unix.map { .socket(path: $0) }
            ?? .internet(host: options.host, port: options.port)
        var configuration = ServerConfiguration(address: address, version: programVersion)
        for one in options.alias {
            guard let place = one.firstIndex(of: "=") else { continue }
            configuration.aliases[String(one[..<place])] = String(one[one.index(after: place)...])
        }
        (configuration.parallel, configuration.queue) = (options.parallel, options.queue)
        configuration.queueTime = .seconds(options.queueTimeout)
        configuration.onlyReadsWAV = !options.otherSounds
        configuration.limits.requestTime = .seconds(options.requestTimeout)
        configuration.hosts = options.allowHost + [ProcessInfo.processInfo.hostName]
        configuration.origins = Set(options.allowOrigin.compactMap(RequestGuard.origin(of:)))
        configuration.keys = try KeyRing(reading: KeysCommand.file)
        configuration.keyFile = KeysCommand.file
        if let tlsCert = options.tlsCert, let tlsKey = options.tlsKey {
            configuration.certificate = try ServerCertificate(
                chain: URL(filePath: tlsCert), key: URL(filePath: tlsKey))
        }
        var host = options.host
        let isLocal = inherited?.isLocal ?? (options.unix != nil || URL.isLoopback(host: host))
        if case .internet(let given, _, _)? = inherited?.place { host = given }
        let encryption = ServerCertificate.isSupported ? ", give it a certificate (--tls-cert, --tls-key)" : ""
        guard isLocal || options.insecureHttp || configuration.certificate != nil else {
            throw CommandError(
                """
                Others would reach \(host), and nothing would be encrypted. Put a proxy that speaks TLS before the \
                server (docs/serving.md has an example)\(encryption), or allow it with --insecure-http.
                """)
        }
        guard isLocal || configuration.keys.has(.api) else {
            throw CommandError(
                "Others would reach \(host), so clients need keys: parley serve keys add NAME makes one.")
        }
        configuration.alwaysNeedsKey = !isLocal
        return configuration
    }
}
