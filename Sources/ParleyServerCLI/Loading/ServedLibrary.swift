// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Logging
import ParleyCommandLine
import ParleyConversation
import ParleyEngine
import ParleyFiles
package import ParleyLocal
import ParleyLocalEngines
import ParleyModelFile
package import ParleyModels
package import ParleyRuntime
package import ParleyServer
import ParleySystem
import ParleyTensor
import Synchronization

/// The models on this machine, as the server offers them.
package struct ServedLibrary: Sendable {
    let store: ModelStore
    private let named: [String]
    private let engine: EnginePreference
    private let context: Int?
    let threads: Int?
    private let parallel: Int
    private let cacheMemory: Int?
    private let cacheType: CacheType
    private let power: PowerPolicy
    private let logger: Logger

    package init(
        store: ModelStore, named: [String], engine: EnginePreference = .automatic, context: Int? = nil,
        threads: Int? = nil, parallel: Int = 16, cacheMemory: Int? = nil, cacheType: CacheType = .f16,
        power: PowerPolicy = .automatic, logger: Logger
    ) {
        self.store = store
        self.named = named
        self.engine = engine
        self.context = context
        self.threads = threads
        self.parallel = parallel
        self.cacheMemory = cacheMemory
        self.cacheType = cacheType
        self.power = power
        self.logger = logger
    }

    /// The most conversations of a model whose caches are kept.
    private static let mostKept = 64

    /// The model that is served where none is named.
    private var usual: String? { store.catalog.defaultEntry?.name }

    /// What to do, in one line, where no model is named and the default one is not on this machine; else nil.
    ///
    /// - Parameter hasPage: whether the web chat is shown.
    /// - Returns: the line.
    package func remedy(hasPage: Bool) -> String? {
        guard named.isEmpty, let usual, (try? store.find(usual)) == nil else { return nil }
        let command = ShellCommand("parley models pull", usual)
        return "The default model, \(usual), is not on this machine yet. "
            + (hasPage ? "Fetch it in the web chat, or with: \(command)" : "This fetches it: \(command)")
    }

    /// The pool of the models: those that were named, and the others that are installed. Without a name the default
    /// model is pinned if it is on this machine, and comes first if it is fetched later.
    ///
    /// - Throws: ``CommandError`` if a named model is not on this machine, or two have the same name; `ModelStoreError`.
    package func pool(keepAlive: Duration) throws -> ModelPool {
        var models: [ServedModel] = []
        var places: [String: String] = [:]
        var files: [String: String] = [:]
        let names = try named.isEmpty ? [usual].compactMap(\.self).filter { try store.find($0) != nil } : named
        var pinned: [String] = []
        for name in names {
            guard let found = try store.find(name) else {
                throw CommandError(
                    "\(name) is not on this machine. \(ShellCommand("parley models pull", name)) fetches it.")
            }
            let file = found.url.standardizedFileURL.path
            if let other = files[found.name], other != file {
                throw CommandError("Two models are named \(found.name): \(other) and \(file). Rename one.")
            }
            if places[found.name] == nil { models.append(description(of: found)) }
            files[found.name] = file
            places[found.name] = name
            pinned.append(found.name)
        }
        for model in store.list() where places[model.name] == nil {
            guard let found = try store.find(model.name) else { continue }
            models.append(description(of: found))
            places[model.name] = model.name
        }
        let (library, known, references) = (self, models, places)
        let find: @Sendable (String) throws -> (ServedModel, String) = { id in
            // One that was fetched since is found by its name.
            let model = try known.first { $0.id == id } ?? library.store.find(id).map(description)
            guard let model else { throw ServerError(404, .modelNotFound, "There is no such model here.") }
            return (model, references[id] ?? id)
        }
        return ModelPool(
            models, pinned: pinned, preferred: named.isEmpty ? usual : nil, keepAlive: keepAlive, library: library,
            engineLoader: { id, engine in try await library.load(find(id), .named(engine)) },
            loader: { id, progress in try await library.load(find(id), library.engine, progress) })
    }

    /// What aliases stand for: the identifiers of models, which may be named as everywhere.
    ///
    /// - Throws: ``CommandError`` if a model is not served.
    package func identifiers(of aliases: [String: String], in models: [ServedModel]) throws -> [String: String] {
        let known = Set(models.map(\.id))
        return try aliases.mapValues { name in
            // A name that the store does not know is told in the same words as one that is not served.
            guard let id = known.contains(name) ? name : (try? store.find(name))?.name, known.contains(id) else {
                let list = known.sorted().joined(separator: ", ")
                throw CommandError("--alias names \(name), which is not served. There are: \(list).")
            }
            return id
        }
    }

    func description(of found: StoredModel) -> ServedModel {
        let attributes = try? FileManager.default.attributesOfItem(atPath: found.url.resolvingSymlinksInPath().path)
        let date = attributes?[.modificationDate] as? Date
        var model = ServedModel(id: found.name, created: Int(date?.timeIntervalSince1970 ?? 0))
        model.capabilities = found.entry?.capabilities
        let file = try? GGUFFile(contentsOf: found.url)
        // A file may be named as its user likes; what it states of itself comes first.
        model.quantization =
            file?.quantization
            ?? QuantizationName.of(found.manifest?.files.first?.name ?? found.url.lastPathComponent)
        model.size = (attributes?[.size] as? NSNumber).flatMap { ByteSize(exactly: $0.int64Value) }
        model.title = found.entry?.title
        model.isRemovable = found.manifest != nil
        model.digest = found.manifest?.digest.map { "sha256:\($0)" }
        model.license = found.manifest?.license ?? found.entry?.license
        model.engines = EngineDescriptor.builtIn.filter { engine in
            engine.formats.contains { $0.isFormat(of: found.url) }
        }.map(\.name)
        if let file, let plan = try? MemoryPlan(file, cacheType: cacheType) {
            model.memory = plan.total(context: min(plan.trainedContext, EngineConfiguration.usualContext))
            model.largestContext =
                switch MemoryFit(plan, context: plan.trainedContext).verdict {
                case .fits: plan.trainedContext
                case .fitsWithContext(let shorter): shorter
                case .doesNotFit: 0
                }
        }
        return model
    }

    private func load(
        _ found: (model: ServedModel, reference: String), _ preference: EnginePreference,
        _ progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> LoadedRunner {
        let (model, reference) = found
        var configuration = LocalConfiguration(
            contextSize: context, threads: threads, timelines: min(parallel, Self.mostKept))
        configuration.logger = logger
        configuration.cacheMemory = cacheMemory
        configuration.cacheType = cacheType
        configuration.power = power
        do {
            if let embedder = try await embedder(reference, configuration, progress) {
                var model = model
                model.contextSize = embedder.contextSize
                model.capabilities = .embeddings
                model.fingerprint = try? fingerprint(reference)
                return LoadedRunner(model, runner: EmbedderRunner(embedder))
            }
            let engine = Mutex<String?>(nil)
            let runner = try await LocalModelRunner.load(
                reference, engine: preference, store: store, isOffline: true, configuration: configuration
            ) { step in
                switch step {
                case .loading(let fraction): progress(fraction)
                case .chosen(let choice): engine.withLock { $0 = choice.engine.name }
                default: break
                }
            }
            var model = model
            model.engine = engine.withLock { $0 }
            model.contextSize = runner.contextSize
            model.capabilities = runner.capabilities
            model.fingerprint = try? fingerprint(reference)
            return LoadedRunner(model, runner: runner)
        } catch {
            // An answer to a client does not tell what files there are; the log does.
            logger.error(
                "A model could not be loaded.", metadata: ["model": "\(model.id)", "error": "\(Self.reason(error))"])
            let conversation = error as? ConversationError
            guard (conversation?.cause as? RuntimeError)?.code == .insufficientMemory else { throw error }
            throw ServerError(503, .insufficientMemory, conversation?.message ?? "", cause: error)
        }
    }

    /// Loads a model that makes embeddings; nil if it makes none.
    private func embedder(
        _ reference: String, _ configuration: LocalConfiguration, _ progress: @escaping @Sendable (Double) -> Void
    ) async throws -> LocalEmbedder? {
        guard let found = try store.find(reference),
            (try? EngineChoice(for: found.url, among: EngineDescriptor.builtIn, needed: .embeddings)) != nil
        else { return nil }
        return try await LocalEmbedder.load(reference, store: store, isOffline: true, configuration: configuration) {
            if case .loading(let fraction) = $0 { progress(fraction) }
        }
    }

    /// Why a model could not be loaded.
    static func reason(_ error: any Error) -> String {
        ((error as? ServerError)?.cause).map { "\($0)" } ?? "\(error)"
    }

    /// Identifies the version, the model's files and the instruction set, on which the bits of replies depend.
    private func fingerprint(_ reference: String) throws -> String? {
        guard let digest = try store.find(reference)?.manifest?.digest else { return nil }
        return "parley-\(programVersion)-\(digest.prefix(12))-\(Self.instructionSet)"
    }

    private static var instructionSet: String { InstructionSet.best.rawValue }
}
