// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyConversation
import ParleyFiles
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyRuntime
import ParleyServer
import ParleySystem
import ParleyTensor

/// The models on this machine, as the server offers them.
struct ServedLibrary: Sendable {
    private let store: ModelStore
    private let named: [String]
    private let context: Int?
    private let threads: Int?
    private let parallel: Int
    private let logger: Logger

    init(store: ModelStore, named: [String], context: Int?, threads: Int?, parallel: Int, logger: Logger) {
        self.store = store
        self.named = named
        self.context = context
        self.threads = threads
        self.parallel = parallel
        self.logger = logger
    }

    /// The pool of the models: those that were named, and the others that are installed.
    ///
    /// - Throws: ``ServeError`` if a named model is not on this machine; `ModelStoreError`.
    func pool(keepAlive: Duration) throws -> ModelPool {
        var models: [ServedModel] = []
        var places: [String: String] = [:]
        let names = named.isEmpty ? [store.catalog.defaultEntry?.name ?? ""] : named
        var pinned: [String] = []
        for name in names {
            guard let found = try store.find(name) else {
                throw ServeError(
                    "\(name) is not on this machine. \(ShellCommand("parley models pull", name)) fetches it.")
            }
            if places[found.name] == nil { models.append(Self.description(of: found)) }
            places[found.name] = name
            pinned.append(found.name)
        }
        for model in store.list() where places[model.name] == nil {
            guard let found = try store.find(model.name) else { continue }
            models.append(Self.description(of: found))
            places[model.name] = model.name
        }
        let (library, known, references) = (self, models, places)
        return ModelPool(models, pinned: pinned, keepAlive: keepAlive) { id in
            guard let model = known.first(where: { $0.id == id }), let reference = references[id] else {
                throw ServerError(404, .modelNotFound, "There is no such model here.")
            }
            return try await library.load(model, reference)
        }
    }

    /// What aliases stand for: the identifiers of models, which may be named as everywhere.
    ///
    /// - Throws: ``ServeError`` if a model is not served; `ModelStoreError`.
    func identifiers(of aliases: [String: String], in models: [ServedModel]) throws -> [String: String] {
        let known = Set(models.map(\.id))
        return try aliases.mapValues { name in
            guard let id = known.contains(name) ? name : try store.find(name)?.name, known.contains(id) else {
                let list = known.sorted().joined(separator: ", ")
                throw ServeError("--alias names \(name), which is not served. There are: \(list).")
            }
            return id
        }
    }

    private static func description(of found: StoredModel) -> ServedModel {
        let attributes = try? FileManager.default.attributesOfItem(atPath: found.url.resolvingSymlinksInPath().path)
        let date = attributes?[.modificationDate] as? Date
        var model = ServedModel(id: found.name, created: Int(date?.timeIntervalSince1970 ?? 0))
        model.capabilities = found.entry?.capabilities
        model.size = (attributes?[.size] as? NSNumber).flatMap { ByteSize(exactly: $0.int64Value) }
        return model
    }

    private func load(_ model: ServedModel, _ reference: String) async throws -> LoadedRunner {
        var configuration = LocalConfiguration(contextSize: context, threads: threads, timelines: parallel)
        configuration.logger = logger
        do {
            let runner = try await LocalModelRunner.load(
                reference, store: store, isOffline: true, configuration: configuration)
            var model = model
            model.contextSize = runner.contextSize
            model.capabilities = runner.capabilities
            model.fingerprint = try? fingerprint(reference)
            return LoadedRunner(model, runner: runner)
        } catch let error as ConversationError {
            guard (error.cause as? RuntimeError)?.code == .insufficientMemory else { throw error }
            throw ServerError(503, .insufficientMemory, error.message, cause: error)
        }
    }

    /// Identifies the version, the model's files and the instruction set, on which the bits of replies depend.
    private func fingerprint(_ reference: String) throws -> String? {
        guard let digest = try store.find(reference)?.manifest?.files.first?.sha256 else { return nil }
        return "parley-\(ParleyServerCommand.version)-\(digest.prefix(12))-\(Self.instructionSet)"
    }

    private static var instructionSet: String { InstructionSet.best.rawValue }
}
