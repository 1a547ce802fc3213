// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyCommandLine
import ParleyHTTP
import ParleyModels
import ParleyRemote
import ParleyRuntime
import ParleySystem

/// The options of commands that can use the model of a server in the place of one on this machine.
struct RemoteOptions: ParsableArguments {
    @Option(
        name: .customLong("remote"),
        help: ArgumentHelp(
            "Use a model of the OpenAI-compatible server at this address; nothing is loaded here.", valueName: "url"))
    var address: String?

    @OptionGroup
    var server: ServerOptions

    mutating func validate() throws { try server.check(address, of: "--remote") }

    /// Checks that nothing is asked of a model of this machine besides one of a server.
    ///
    /// - Parameters:
    ///   - model: the argument that names a model of this machine.
    ///   - loading: the options with which it would be loaded.
    ///   - hears: whether a speech model is loaded here all the same, which has threads.
    /// - Throws: `ValidationError`.
    func exclude(_ model: String, _ loading: LoadingOptions, hears: Bool) throws {
        guard address != nil else { return }
        if model != Catalog.builtIn.defaultEntry?.name ?? "" {
            throw ValidationError("With --remote, name the model of the server with --model.")
        }
        let loads =
            loading.context != nil || loading.projector != nil || loading.mlock || loading.cache.cacheType != .f16
        if loads || loading.computing.isChosen || loading.fetching.offline {
            throw ValidationError(
                "With --remote nothing is loaded here: leave out --context, --mmproj, --mlock, --cache-type, --engine, "
                    + "--isa, --power and --offline.")
        }
        if loading.computing.threads != nil, !hears {
            throw ValidationError("With --remote nothing is loaded here: leave out --threads, or give --voice too.")
        }
    }

    /// The server; nil if none is named.
    ///
    /// - Throws: `RemoteError`.
    func endpoint() throws -> RemoteEndpoint? { try address.map { try server.endpoint(at: $0) } }

    /// Finds the model of the server.
    ///
    /// - Parameter console: where it is said what is odd about it.
    /// - Returns: the model; nil if no server is named.
    /// - Throws: `RemoteError`; ``CommandError`` where it is not clear which model is meant.
    func model(console: Console) async throws -> Chosen? {
        guard let endpoint = try endpoint() else { return nil }
        let (runner, description) = try await server.runner(at: endpoint, console: console)
        return Chosen(runner: runner, description: description)
    }

    /// A model of a server.
    struct Chosen {
        var runner: RemoteModelRunner
        /// What the server says of it; nil if it says nothing.
        var description: RemoteModel?

        /// The size of its context in tokens; nil if the server does not state it.
        var contextSize: Int? { description?.contextSize }

        /// What is said of the model after its name.
        var facts: String {
            let context = contextSize.map { " · context \($0) tokens" } ?? ""
            return " on \(runner.endpoint.host)\(context)"
        }

        /// Whether the server says that the model takes tools; with others it is not tried.
        var callsFunctions: Bool { description?.capabilities?.contains("tools") ?? false }

        /// Whether images may be shown to it; where the server does not say, it is tried.
        var seesImages: Bool { description?.inputModalities?.contains("image") ?? true }
    }
}

/// The options that go with the address of a server.
struct ServerOptions: ParsableArguments {
    @Option(
        name: .customLong("model"),
        help: ArgumentHelp("The name of the model on the server; needed where it has several.", valueName: "name"))
    var name: String?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            """
            A file with the key for the server, which nobody else may read. (default: $PARLEY_API_KEY; for \
            https://api.openai.com also $OPENAI_API_KEY)
            """, valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Flag(
        name: .customLong("insecure-http"),
        help: "Send messages and key to another machine without encryption, for everybody on the way to read.")
    var allowsPlainHTTP = false

    /// Checks the address that an option gives, or that options which only a server needs come with one.
    ///
    /// - Throws: `ValidationError`.
    func check(_ address: String?, of option: String) throws {
        if let address {
            do {
                // Whether a proxy is in the way is no question of usage.
                _ = try RemoteEndpoint(Self.url(address), allowsPlainHTTP: allowsPlainHTTP, environment: [:])
            } catch let error as RemoteError {
                throw ValidationError(error.message)
            }
            return
        }
        if name != nil {
            throw ValidationError("--model goes with \(option); a model of this machine is named without an option.")
        }
        if keyFile != nil || allowsPlainHTTP {
            throw ValidationError("--key-file and --insecure-http go with \(option).")
        }
    }

    /// The server at an address, with the key for it.
    ///
    /// - Throws: `RemoteError`.
    func endpoint(at address: String, environment: ProcessEnvironment = .process) throws -> RemoteEndpoint {
        let url = try Self.url(address)
        let key = try keyFile.map {
            try RemoteKey(contentsOf: URL(filePath: NSString(string: $0).expandingTildeInPath))
        }
        return try RemoteEndpoint(
            url, key: key ?? RemoteKey.ofEnvironment(environment, for: url), allowsPlainHTTP: allowsPlainHTTP,
            environment: environment)
    }

    private static func url(_ address: String) throws -> URL {
        guard let url = URL(string: address) else {
            throw RemoteError(.invalidAddress, "That is no address of a server; write it as https://HOST/v1.")
        }
        return url
    }

    /// Finds the model of a server, and says what is odd about it.
    ///
    /// - Parameters:
    ///   - endpoint: the server.
    ///   - console: where it is said.
    /// - Returns: a runner, and what the server says of the model.
    /// - Throws: `RemoteError`; ``CommandError`` where it is not clear which model is meant.
    func runner(at endpoint: RemoteEndpoint, console: Console) async throws -> (RemoteModelRunner, RemoteModel?) {
        let models: [RemoteModel]
        do {
            models = try await endpoint.models()
        } catch let error as RemoteError where error.code == .wrongPath && name != nil && endpoint.url.path == "/v1" {
            // Some services do not list their models.
            models = []
        }
        guard let name else {
            guard models.count == 1, let only = models.first else { throw Self.unnamed(models, endpoint.host) }
            return (RemoteModelRunner(model: only.id, at: endpoint), only)
        }
        let model = models.first { $0.id == name }
        if model == nil, !models.isEmpty {
            console.note("\(endpoint.host) does not list a model \(name). It has: \(Self.list(models)).")
        }
        return (RemoteModelRunner(model: name, at: endpoint), model)
    }

    private static func unnamed(_ models: [RemoteModel], _ host: String) -> CommandError {
        models.isEmpty
            ? CommandError("\(host) lists no models. Name one with --model.")
            : CommandError("\(host) has several models. Choose one with --model: \(list(models)).")
    }

    /// The names of the first models.
    private static func list(_ models: [RemoteModel]) -> String {
        let names = models.prefix(20).map { PlainText.clean($0.id) }.joined(separator: ", ")
        return models.count > 20 ? "\(names) and \(models.count - 20) more" : names
    }
}
