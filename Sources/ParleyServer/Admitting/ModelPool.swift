// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import ParleyOpenAI

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

    private let offered: ModelList
    private let residents: ResidentModels
    private let news: ModelEvents
    private let library: (any ModelLibrary)?
    private let fetching: FetchJobs?
    private let pinned: [String]

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
        let (news, offered) = (ModelEvents(), ModelList(models, preferred: preferred))
        let residents = ResidentModels(keepAlive: keepAlive, events: news) { place in
            guard let engine = place.engine else {
                return try await loader(place.id) { news.send(.loading(model: place.id, fraction: $0)) }
            }
            guard let engineLoader else { throw ServerError.noChoiceOfEngine }
            return try await engineLoader(place.id, engine)
        }
        for model in models { residents.add(model.id, isPinned: pinned.contains(model.id)) }
        fetching = library.map { library in
            FetchJobs(
                library, onEvent: { news.send(.job($0)) },
                onFetch: { model in
                    guard !offered.knows(model.id) else { return }
                    // Whoever finds it in the list can take it.
                    residents.add(model.id)
                    offered.add(model)
                    news.send(.status(model: model.id, .unloaded))
                })
        }
        (self.offered, self.residents, self.news) = (offered, residents, news)
        (self.library, self.pinned) = (library, pinned)
    }

    /// Loads the pinned models, one after the other.
    ///
    /// - Throws: ``ServerError`` if one cannot be loaded.
    public func loadPinned() async throws {
        for id in pinned { _ = try await lease(id) }
    }

    /// The models, with what is known of those in memory.
    public func list() async -> [ServedModel] { residents.described(offered.all) }

    /// The models in memory, in the order in which they are listed.
    public func loaded() async -> [LoadedRunner] { residents.loaded(offered.all.map(\.id)) }

    /// Whether the first pinned model is or was in memory, or none is pinned; a client may have unloaded it since.
    public func isReady() async -> Bool { pinned.first.map(residents.hasLoaded) ?? true }

    /// Takes a model for a reply; see ``ServedModels/lease(_:)``.
    ///
    /// - Throws: ``ServerError``.
    public func lease(_ id: String) async throws -> ModelLease { try await found(residents.lease(id), id) }

    /// Takes a model in an engine of choice; see ``EngineModels/lease(_:in:)``.
    ///
    /// - Throws: ``ServerError``.
    public func lease(_ id: String, in engine: String) async throws -> ModelLease {
        try await found(residents.lease(id, in: engine), id)
    }

    private func found(_ lease: ModelLease?, _ id: String) throws(ServerError) -> ModelLease {
        guard let lease else { throw ServerError.modelNotFound(id, among: offered.all.map(\.id)) }
        return lease
    }

    /// Frees the memory that a model has taken in an engine of choice; see ``EngineModels/unload(_:in:)``.
    public func unload(_ id: String, in engine: String) async { await residents.unload(id, in: engine) }

    /// Unloads the model that nobody has used for the longest time; see ``ServedModels/makeRoom()``.
    public func makeRoom() async -> Bool { await residents.makeRoom() }

    /// Unloads the models that nobody has used for a while.
    public func tidy(now: ContinuousClock.Instant) async { await residents.tidy(now: now) }

    /// Unloads all models, whose replies end as cancelled.
    public func unloadAll() async { await residents.unloadAll() }

    // MARK: - Managing

    /// What happens from now on; see ``ManagedModels/events()``.
    public func events() -> AsyncStream<ModelEvent> { news.stream() }

    /// The models that could be fetched; none without a library.
    public func catalog() async -> [FetchableModel] { await library?.catalog() ?? [] }

    /// The jobs of now and before, the oldest first.
    public func jobs() async -> [FetchJob] { fetching?.all ?? [] }

    /// Begins to fetch a model; see ``ManagedModels/fetch(_:)``.
    ///
    /// - Throws: ``ServerError``.
    public func fetch(_ reference: String) async throws -> FetchJob {
        let fetching = try fetchJobs()
        do {
            try library?.check(reference)
        } catch {
            let isUnknown = (error as? ModelStoreError)?.code == .unknownModel
            throw (error as? ServerError)
                ?? ServerError(
                    isUnknown ? 404 : 400, isUnknown ? .modelNotFound : .invalidValue, "\(error)", param: "model",
                    cause: error)
        }
        return try fetching.begin(reference)
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
        guard let fetching else { throw ServerError(404, .notFound, "This server fetches no models.") }
        return fetching
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
        _ = try offered.model(id)
        try await residents.unload(id)
    }

    /// Removes a model that is not in use from this machine; it is listed again if that fails.
    ///
    /// - Throws: ``ServerError``.
    public func delete(_ id: String) async throws {
        guard let library else { throw ServerError(404, .notFound, "This server removes no models.") }
        let model = try offered.model(id)
        guard model.isRemovable else {
            throw ServerError(
                400, .invalidValue, "The model is a file outside Parley's store, so it is not removed here.",
                param: "model")
        }
        // The library may wait for minutes until it can remove the model; nobody may load it meanwhile.
        guard try residents.withdraw(id) else { throw ServerError.modelNotFound(id, among: offered.all.map(\.id)) }
        let place = offered.withdraw(id)
        await residents.unloadAll(of: id)
        do {
            try await library.remove(id)
        } catch {
            residents.add(id, isPinned: pinned.contains(id))
            offered.putBack(model, at: place)
            news.send(.status(model: id, .unloaded))
            throw (error as? ServerError)
                ?? ServerError(400, .invalidValue, "The model is not removed: \(error)", cause: error)
        }
        offered.forget(id)
    }
}
