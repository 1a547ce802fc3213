// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyModels
import ParleyOpenAI
import Synchronization

/// Models that are loaded when they are asked for, and unloaded when others need their memory or nobody has used them
/// for a while.
///
/// Requests for one model share one load, which a client that leaves does not undo.
public final class ModelPool: ManagedModels, EngineModels {
    /// Loads a model that is on this machine, and reports how much of it has been loaded, from 0 to 1; throws
    /// ``ServerError`` with code `insufficient_memory` where it does not fit.
    public typealias Loader =
        @Sendable (
            _ id: String, _ progress: @escaping @Sendable (Double) -> Void
        ) async throws -> LoadedRunner

    /// Loads a model into an engine, as a ``Loader`` does.
    public typealias EngineLoader =
        @Sendable (_ id: String, _ engine: String) async throws -> LoadedRunner

    /// A model in an engine of choice.
    private struct Chosen: Hashable {
        var id: String
        var engine: String

        /// What stands for it beside the names of models, none of which has a line break.
        var name: String { "\(id)\n\(engine)" }
    }

    private struct State {
        var models: [ServedModel]
        /// Those that are being removed, and are not listed any more.
        var removing: Set<String> = []
        /// Whether the first pinned model has been in memory; a client may have unloaded it since.
        var wasReady = false
        var shelf: ModelShelf
        var loaded: [String: LoadedRunner] = [:]
        var loading: [String: Task<LoadedRunner, any Error>] = [:]
        var unloading: [String: Task<Void, Never>] = [:]
        /// What was taken in an engine of choice, by its name on the shelf.
        var chosen: [String: Chosen] = [:]
        /// What the latest attempt to load a model has thrown.
        var failures: [String: ServerError] = [:]
    }

    /// No other lock is taken while this one is held.
    private let state: Mutex<State>
    private let news = ModelEvents()
    /// The jobs, once there is one. No other lock is taken while this one is held.
    private let fetching = Mutex<FetchJobs?>(nil)
    private let library: (any ModelLibrary)?
    private let pinned: [String]
    private let preferred: String?
    private let loader: Loader
    private let engineLoader: EngineLoader?

    /// Creates a pool without a model in memory.
    ///
    /// - Parameters:
    ///   - models: the models on this machine, in the order in which they are listed.
    ///   - pinned: the names of those that stay in memory.
    ///   - preferred: the name of the model that is listed first even if it is fetched later.
    ///   - keepAlive: how long the others stay without a reply.
    ///   - library: fetches and removes models; nil where that is not wanted.
    ///   - engineLoader: loads a model into an engine of choice; nil where none can be chosen.
    ///   - loader: loads a model.
    public init(
        _ models: [ServedModel], pinned: [String] = [], preferred: String? = nil,
        keepAlive: Duration = .seconds(900), library: (any ModelLibrary)? = nil,
        engineLoader: EngineLoader? = nil, loader: @escaping Loader
    ) {
        self.pinned = pinned
        self.preferred = preferred
        (self.loader, self.engineLoader) = (loader, engineLoader)
        self.library = library
        var shelf = ModelShelf(keepAlive: keepAlive)
        for model in models { shelf.add(model.id, isPinned: pinned.contains(model.id), now: .now) }
        state = Mutex(State(models: models, shelf: shelf))
    }

    /// Loads the pinned models, one after the other.
    ///
    /// - Throws: ``ServerError`` if one cannot be loaded.
    public func loadPinned() async throws {
        for id in pinned { _ = try await lease(id) }
    }

    /// The models, with what is known of those in memory.
    public func list() async -> [ServedModel] {
        state.withLock { state in
            state.models.map { model in
                var model = state.loaded[model.id]?.model ?? model
                model.status = state.shelf.status(of: model.id) ?? .unloaded
                if model.status == .failed { model.failure = state.failures[model.id]?.error.message }
                return model
            }
        }
    }

    /// The models in memory, in the order in which they are listed.
    public func loaded() async -> [LoadedRunner] {
        state.withLock { state in state.models.compactMap { state.loaded[$0.id] } }
    }

    /// Whether the first pinned model is or was in memory, or none is pinned.
    public func isReady() async -> Bool {
        pinned.isEmpty || state.withLock { $0.wasReady }
    }

    /// Takes a model for a reply; see ``ServedModels/lease(_:)``.
    ///
    /// - Throws: ``ServerError``.
    public func lease(_ id: String) async throws -> ModelLease {
        let task = try state.withLock { state throws(ServerError) in
            try Self.check(id, state)
            state.shelf.lease(id, now: .now)
            return loading(id, &state)
        }
        return try await lease(task, of: id)
    }

    /// Takes a model in an engine of choice; see ``EngineModels/lease(_:in:)``.
    ///
    /// - Throws: ``ServerError``.
    public func lease(_ id: String, in engine: String) async throws -> ModelLease {
        let (name, task) = try state.withLock { state throws(ServerError) in
            try Self.check(id, state)
            var name = id
            if state.loaded[id]?.model.engine != engine {
                guard engineLoader != nil else {
                    throw ServerError(400, .invalidValue, "This server lets nobody choose an engine.", param: "engines")
                }
                let chosen = Chosen(id: id, engine: engine)
                name = chosen.name
                if state.chosen.updateValue(chosen, forKey: name) == nil {
                    state.shelf.add(name, isPinned: false, now: .now)
                }
            }
            state.shelf.lease(name, now: .now)
            return (name, loading(name, &state))
        }
        return try await lease(task, of: name)
    }

    private static func check(_ id: String, _ state: State) throws(ServerError) {
        guard state.models.contains(where: { $0.id == id }) else {
            throw ServerError.modelNotFound(id, among: state.models.map(\.id))
        }
    }

    /// The lease of what is being loaded.
    private func lease(_ task: Task<LoadedRunner, any Error>, of name: String) async throws -> ModelLease {
        // From here on the lease is ended when it is released, whatever happens.
        let release: @Sendable () -> Void = { [self] in state.withLock { $0.shelf.release(name, now: .now) } }
        do {
            return ModelLease(try await task.valueUnlessCancelled(), end: release)
        } catch {
            release()
            throw error
        }
    }

    private func loading(_ id: String, _ state: inout State) -> Task<LoadedRunner, any Error> {
        if let loaded = state.loaded[id] { return Task { loaded } }
        if let running = state.loading[id] { return running }
        let chosen = state.chosen[id]
        let task = Task { try await fill(id, chosen) }
        state.loading[id] = task
        set(id, .loading, &state)
        return task
    }

    private func fill(_ id: String, _ chosen: Chosen?) async throws -> LoadedRunner {
        // What is leaving still has its memory.
        for task in state.withLock({ Array($0.unloading.values) }) { await task.value }
        while true {
            do {
                let began = ContinuousClock.now
                var loaded = try await load(id, chosen)
                loaded.model.loadTime = began.duration(to: .now)
                let new = loaded
                state.withLock { state in
                    state.loaded[id] = new
                    state.loading[id] = nil
                    state.failures[id] = nil
                    if id == pinned.first { state.wasReady = true }
                    set(id, .loaded, &state)
                }
                return new
            } catch {
                let error = ServerError(answering: error)
                if error.error.code == .insufficientMemory, await unloadLeastRecentlyUsed() { continue }
                state.withLock { state in
                    state.loading[id] = nil
                    state.failures[id] = error
                    set(id, .failed, &state)
                }
                throw error
            }
        }
    }

    private func load(_ id: String, _ chosen: Chosen?) async throws -> LoadedRunner {
        if let chosen, let engineLoader { return try await engineLoader(chosen.id, chosen.engine) }
        return try await loader(id) { [news] in news.send(.loading(model: id, fraction: $0)) }
    }

    private func unloadLeastRecentlyUsed() async -> Bool {
        let task = state.withLock { state in
            state.shelf.leastRecentlyUsed.flatMap { unload($0, &state) }
        }
        await task?.value
        return task != nil
    }

    /// Unloads the models that nobody has used for a while.
    public func tidy(now: ContinuousClock.Instant) async {
        let tasks = state.withLock { state in
            state.shelf.expired(now: now).compactMap { unload($0, &state) }
        }
        for task in tasks { await task.value }
    }

    /// Unloads all models, whose replies end as cancelled.
    public func unloadAll() async {
        let tasks = state.withLock { state in state.loaded.keys.sorted().compactMap { unload($0, &state) } }
        for task in tasks { await task.value }
    }

    private func unload(_ id: String, _ state: inout State) -> Task<Void, Never>? {
        guard let loaded = state.loaded.removeValue(forKey: id) else { return nil }
        set(id, .unloaded, &state)
        let task = Task {
            await loaded.runner.unload()
            self.state.withLock { $0.unloading[id] = nil }
        }
        state.unloading[id] = task
        return task
    }

    private func set(_ id: String, _ status: ServedModel.Status, _ state: inout State) {
        state.shelf.set(id, status, now: .now)
        // What is in an engine of choice is in no list.
        if state.chosen[id] == nil { news.send(.status(model: id, status)) }
    }

    // MARK: - Managing

    /// What happens from now on; see ``ManagedModels/events()``.
    public func events() -> AsyncStream<ModelEvent> { news.stream() }

    /// The models that could be fetched; none without a library.
    public func catalog() async -> [FetchableModel] { await library?.catalog() ?? [] }

    /// The jobs of now and before, the oldest first.
    public func jobs() async -> [FetchJob] { fetching.withLock { $0 }?.all ?? [] }

    /// Begins to fetch a model; see ``ManagedModels/fetch(_:)``.
    ///
    /// - Throws: ``ServerError``.
    public func fetch(_ reference: String) async throws -> FetchJob {
        let jobs = try fetchJobs()
        do {
            try library?.check(reference)
        } catch {
            let isUnknown = (error as? ModelStoreError)?.code == .unknownModel
            throw (error as? ServerError)
                ?? ServerError(
                    isUnknown ? 404 : 400, isUnknown ? .modelNotFound : .invalidValue, "\(error)", param: "model",
                    cause: error)
        }
        return try jobs.begin(reference)
    }

    /// Stops a job; see ``ManagedModels/pauseJob(_:)``.
    ///
    /// - Throws: ``ServerError``.
    public func pauseJob(_ id: String) async throws -> FetchJob { try fetchJobs().pause(id) }

    /// Ends a job; see ``ManagedModels/cancelJob(_:)``.
    ///
    /// - Throws: ``ServerError``.
    public func cancelJob(_ id: String) async throws -> FetchJob { try fetchJobs().cancel(id) }

    private func fetchJobs() throws(ServerError) -> FetchJobs {
        guard let library else { throw ServerError(404, .notFound, "This server fetches no models.") }
        return fetching.withLock { jobs in
            if let jobs { return jobs }
            let new = FetchJobs(
                library, onEvent: { [news] in news.send(.job($0)) }, onFetch: { [weak self] in self?.add($0) })
            jobs = new
            return new
        }
    }

    private func add(_ model: ServedModel) {
        state.withLock { state in
            let isKnown = state.models.contains { $0.id == model.id } || state.removing.contains(model.id)
            guard !isKnown else { return }
            state.models.insert(model, at: model.id == preferred ? 0 : state.models.count)
            state.shelf.add(model.id, isPinned: false, now: .now)
            news.send(.status(model: model.id, .unloaded))
        }
    }

    /// Loads a model, if it is not in memory.
    ///
    /// - Throws: ``ServerError``.
    public func load(_ id: String) async throws {
        // The lease ends at once: that it was loaded counts as its use.
        _ = try await lease(id)
    }

    /// Frees the memory of a model that is not in use; one that is not in memory is left as it is.
    ///
    /// - Throws: ``ServerError`` with code `model_not_found` or `model_in_use`.
    public func unload(_ id: String) async throws {
        let task = try state.withLock { state throws(ServerError) in
            try Self.checkUnused(id, state)
            return unload(id, &state)
        }
        await task?.value
    }

    private static func checkUnused(_ id: String, _ state: State) throws(ServerError) {
        try check(id, state)
        guard !state.shelf.isInUse(id) else {
            throw ServerError(
                409, .modelInUse, "The model has replies that run or wait. Try again when they have ended.")
        }
    }

    /// Frees the memory that a model has taken in an engine of choice; see ``EngineModels/unload(_:in:)``.
    public func unload(_ id: String, in engine: String) async {
        let name = Chosen(id: id, engine: engine).name
        // Whoever asked for it may have left while it was loaded.
        if let loading = state.withLock({ $0.loading[name] }) { _ = await loading.result }
        let task = state.withLock { state in
            state.chosen[name] == nil || state.shelf.isInUse(name) ? nil : unload(name, &state)
        }
        await task?.value
    }

    /// Removes a model from this machine; it is listed again if that fails.
    ///
    /// - Throws: ``ServerError``.
    public func delete(_ id: String) async throws {
        guard let library else { throw ServerError(404, .notFound, "This server removes no models.") }
        // The library may wait for minutes until it can remove the model; nobody may load it meanwhile.
        let (place, model, task) = try state.withLock { state throws(ServerError) in
            try Self.checkUnused(id, state)
            let place = state.models.firstIndex { $0.id == id } ?? 0
            guard state.models[place].isRemovable else {
                throw ServerError(
                    400, .invalidValue, "The model is a file outside Parley's store, so it is not removed here.",
                    param: "model")
            }
            let task = unload(id, &state)
            state.removing.insert(id)
            return (place, state.models.remove(at: place), task)
        }
        await task?.value
        for chosen in state.withLock({ $0.chosen.values.filter { $0.id == id } }) {
            await unload(id, in: chosen.engine)
        }
        do {
            try await library.remove(id)
        } catch {
            state.withLock { state in
                state.removing.remove(id)
                state.models.insert(model, at: min(place, state.models.count))
                set(id, .unloaded, &state)
            }
            throw (error as? ServerError)
                ?? ServerError(400, .invalidValue, "The model is not removed: \(error)", cause: error)
        }
        state.withLock { state in
            state.removing.remove(id)
            state.shelf.remove(id)
        }
    }
}

extension ServerError {
    /// The answer for a model that is not there.
    static func modelNotFound(_ id: String, among known: [String]) -> ServerError {
        guard !id.isEmpty else {
            return ServerError(
                400, .missingParameter, "model is missing; there is none to take instead.", param: "model")
        }
        let entry = Catalog.builtIn[String(id.prefix { $0 != ":" })]
        let remedy = entry.map { " 'parley models pull \($0.name)' fetches it." } ?? ""
        // The name comes from the client, so it is not repeated at any length.
        let shown = known.prefix(32).joined(separator: ", ")
        return ServerError(
            404, .modelNotFound,
            "There is no model \"\(id.prefix(100))\" here.\(remedy) There are: "
                + (shown.isEmpty ? "none. 'parley models pull' fetches the usual one." : "\(shown)."),
            param: "model")
    }
}
