// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Logging
import ParleyActions
import ParleyCommandLine
import ParleyHTTP
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyPython
import ParleyRuntime
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

    @Option(
        help: ArgumentHelp(
            "Also write down speech, with this model: whisper-base, or what 'parley transcribe --model' takes.",
            valueName: "name"))
    var speech: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Read what is not WAV with libsndfile where it is installed, or with Apple's system.")
    var otherSounds = true

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(parsing: .unconditional, help: ArgumentHelp("The port; 0 takes a free one.", valueName: "n"))
    var port = 8_080

    @Option(help: ArgumentHelp("Listen on a socket in the file system instead.", valueName: "path"))
    var unix: String?

    @Option(help: ArgumentHelp("Another name for a model; * stands for any name.", valueName: "name=model"))
    var alias: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("How many replies of a model run at a time.", valueName: "n"))
    var parallel = 16

    @Option(parsing: .unconditional, help: ArgumentHelp("How many requests for a model may wait.", valueName: "n"))
    var queue = 256

    @Option(parsing: .unconditional, help: ArgumentHelp("How long a request may wait.", valueName: "seconds"))
    var queueTimeout = 120

    @Option(parsing: .unconditional, help: ArgumentHelp("How long a reply may take.", valueName: "seconds"))
    var requestTimeout = 600

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long other models stay in memory without a reply.", valueName: "seconds"))
    var keepAlive = 900

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The memory for the caches of a model's conversations.", valueName: "MiB"))
    var kvMemory: Int?

    @Option(
        help: ArgumentHelp(
            "How keys and values are cached (native engine only): q8_0 takes about half the memory.",
            valueName: "f16|q8_0"))
    var cacheType = CacheType.f16

    @Option(
        help: ArgumentHelp(
            "The engine that runs the models; see 'parley engines'.", valueName: "automatic|name"),
        completion: .engine)
    var engine = EnginePreference.automatic

    @Option(parsing: .unconditional, help: ArgumentHelp("Context length in tokens.", valueName: "n"))
    var context: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of threads.", valueName: "n"))
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "Fewer threads on a battery and when the machine is hot, always all, or at most half (native engine only).",
            valueName: "automatic|performance|quiet"))
    var power = PowerPolicy.automatic

    @Option(help: ArgumentHelp("A name of the server that requests may be addressed to.", valueName: "name"))
    var allowHost: [String] = []

    @Option(help: ArgumentHelp("An origin whose pages may use the server.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Encrypt by this certificate, in PEM, with those that vouch for it; for builds with the trait TLS.",
            valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"))
    var tlsKey: String?

    @Flag(help: "Listen on an address that others reach, although nothing is encrypted.")
    var insecureHttp = false

    @Flag(inversion: .prefixedNo, help: "Show the web chat at the address of the server.")
    var page = true

    @Flag(help: "Open the web chat in the browser.")
    var open = false

    @Option(help: .hidden)
    var pageFolder: String?

    @Flag(help: "Log in JSON, one object a line.")
    var jsonLog = false

    @Flag(help: "Log nothing but failures.")
    var quiet = false

    func validate() throws {
        let ranges: [(Int?, String, ClosedRange<Int>)] = [
            (port, "--port", 0...65_535), (parallel, "--parallel", 1...1_024), (queue, "--queue", 0...65_536),
            (queueTimeout, "--queue-timeout", 1...86_400), (requestTimeout, "--request-timeout", 1...86_400),
            (keepAlive, "--keep-alive", 0...31_536_000), (threads, "--threads", ThreadCount.range),
            (kvMemory, "--kv-memory", 1...16_777_216),
        ]
        for (value, name, range) in ranges { try OptionRange(range).check(value, of: name) }
        try OptionRange.tokens.check(context, of: "--context")
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together.")
        }
        for one in allowOrigin where RequestGuard.origin(of: one) == nil {
            throw ValidationError("--allow-origin is of the form SCHEME://HOST or SCHEME://HOST:PORT.")
        }
        for one in alias where !one.dropFirst().contains("=") {
            throw ValidationError("--alias is of the form NAME=MODEL.")
        }
        try engine.validate(in: "parley-server")
    }

    func run() async throws {
        let logger = Logger(label: "parley-server") { _ in
            LineLog(isJSON: jsonLog, logLevel: quiet ? .error : .info)
        }
        let inherited = try InheritedSocket.given(by: .process)
        var configuration = try serverConfiguration(inherited)
        let library = ServedLibrary(
            store: .ofCommands, named: models, engine: engine, context: context, threads: threads,
            parallel: parallel, cacheMemory: kvMemory.map { $0 << 20 }, cacheType: cacheType,
            power: power, logger: logger)
        let pool = try library.pool(keepAlive: .seconds(keepAlive))
        configuration.aliases = try library.identifiers(of: configuration.aliases, in: await pool.list())
        let own = try ServerKey(in: KeysCommand.file.deletingLastPathComponent().appending(path: "server.key"))
        configuration.ownKey = own.key
        let hearing: ServedSpeech? = if let speech { try await library.speech(speech) } else { nil }
        let server = APIServer(configuration, models: pool, speech: hearing, logger: logger)
        var chat: RunningPage?
        do {
            if page { chat = try await showPage(on: server, hearing) }
        } catch let error where !open {
            // Another program may have the user's chats open; other programs' requests are served all the same.
            logger.warning("The web chat is not shown.", metadata: ["error": "\(error)"])
        }
        let hasPage = chat != nil
        let remedy = library.remedy(hasPage: hasPage)
        let place = configuration.address
        let patience = configuration.limits.drainTime.components.seconds
        let served = inherited?.place
        let scheme = configuration.certificate == nil ? "http" : "https"
        // The socket is the user's alone from its first moment on.
        if unix != nil { umask(0o077) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await server.run { [open] port in
                    let address = Self.announce(place, served, scheme, port, own, hasPage: hasPage)
                    if let remedy {
                        print(remedy)
                        fflush(nil)
                    }
                    if open, let address { Browser.show(address) }
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
        var setup = try AssistantSetup(AssistantHome(reading: directory))
        let settings = try SettingsBoard(in: directory)
        setup.chat = { settings.chat }
        let assistant = try await setup.assistant(over: server.admitted.chatModels)
        for remark in assistant.remarks { StandardError.write(remark + "\n") }
        let files = try pageFolder.map { try PageFiles(folder: URL(filePath: $0)) } ?? .builtIn
        server.show(
            await WebPage(
                server.admitted, history: setup.history, settings: settings, keys: server.keys,
                attachments: AttachmentStore(setup.home.attachments), speech: speech, files: files,
                version: ParleyServerCommand.version, engines: Self.engines, dependencies: assistant.dependencies))
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
            inherited.map { .inherited(descriptor: $0.descriptor) } ?? unix.map { .socket(path: $0) }
            ?? .internet(host: host, port: port)
        var configuration = ServerConfiguration(address: address, version: ParleyServerCommand.version)
        for one in alias {
            guard let place = one.firstIndex(of: "=") else { continue }
            configuration.aliases[String(one[..<place])] = String(one[one.index(after: place)...])
        }
        (configuration.parallel, configuration.queue) = (parallel, queue)
        configuration.queueTime = .seconds(queueTimeout)
        configuration.onlyReadsWAV = !otherSounds
        configuration.limits.requestTime = .seconds(requestTimeout)
        configuration.hosts = allowHost + [ProcessInfo.processInfo.hostName]
        configuration.origins = Set(allowOrigin.compactMap(RequestGuard.origin(of:)))
        configuration.keys = try KeyRing(reading: KeysCommand.file)
        configuration.keyFile = KeysCommand.file
        if let tlsCert, let tlsKey {
            configuration.certificate = try ServerCertificate(
                chain: URL(filePath: tlsCert), key: URL(filePath: tlsKey))
        }
        let isLocal = inherited?.isLocal ?? (unix != nil || URL.isLoopback(host: host))
        var host = host
        if case .internet(let given, _, _)? = inherited?.place { host = given }
        let encryption = ServerCertificate.isSupported ? ", give it a certificate (--tls-cert, --tls-key)" : ""
        guard isLocal || insecureHttp || configuration.certificate != nil else {
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
