// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyOpenAI
import Synchronization

/// The models in memory: they are loaded when they are asked for, and unloaded when others need their memory or nobody
/// has used them for a while.
///
/// Requests for one model share one load, which a client that leaves does not undo.
final class ResidentModels: Sendable {
    /// Loads a model into its place.
    typealias Loader = @Sendable (_ place: ModelPlace) async throws -> LoadedRunner

    /// A model in memory, or on its way there.
    private enum Resident {
        case loading(Task<LoadedRunner, any Error>)
        case loaded(LoadedRunner)

        var loaded: LoadedRunner? { if case .loaded(let loaded) = self { loaded } else { nil } }
    }

    private struct State {
        var shelf: ModelShelf
        var residents: [ModelPlace: Resident] = [:]
        /// What leaves, and still has its memory.
        var leaving: [ModelPlace: Task<Void, Never>] = [:]
        /// How many have left.
        var departures = 0
        /// What the latest attempt to load a model has thrown.
        var failures: [String: ServerError] = [:]
        /// The names of those that are or were in memory.
        var everLoaded: Set<String> = []
    }

    /// No other lock but that of the events, which are told in their order, is taken while this one is held.
    private let state: Mutex<State>
    private let events: ModelEvents
    private let loader: Loader

    /// Creates it without a model.
    ///
    /// - Parameters:
    ///   - keepAlive: how long models stay without a reply, but for those that are pinned.
    ///   - events: is told what happens.
    ///   - loader: loads a model; throws ``ServerError`` with code `insufficient_memory` where it does not fit.
    init(keepAlive: Duration, events: ModelEvents, loader: @escaping Loader) {
        state = Mutex(State(shelf: ModelShelf(keepAlive: keepAlive)))
        self.events = events
        self.loader = loader
    }

    /// Makes a model known, which is not in memory.
    func add(_ id: String, isPinned: Bool = false) {
        state.withLock { $0.shelf.add(ModelPlace(id), isPinned: isPinned, now: .now) }
    }

    /// The models, with what is known of those in memory.
    func described(_ models: [ServedModel]) -> [ServedModel] {
        state.withLock { state in
            models.map { known in
                let place = ModelPlace(known.id)
                var model = state.residents[place]?.loaded?.model ?? known
                model.status = state.shelf.status(of: place) ?? .unloaded
                if model.status == .failed { model.failure = state.failures[known.id]?.error.message }
                return model
            }
        }
    }

    /// Those of the models that are in memory, in their order.
    func loaded(_ ids: [String]) -> [LoadedRunner] {
        state.withLock { state in ids.compactMap { state.residents[ModelPlace($0)]?.loaded } }
    }

    /// Whether a model is or was in memory.
    func hasLoaded(_ id: String) -> Bool { state.withLock { $0.everLoaded.contains(id) } }

    // MARK: - Loading

    /// Takes a model for a reply, and loads it if it is not in memory.
    ///
    /// - Parameters:
    ///   - id: the name of the model.
    ///   - engine: the engine of choice; nil for the one that it runs on for everybody.
    /// - Returns: the model; nil if none of the name is known.
    /// - Throws: ``ServerError`` if it cannot be loaded; `CancellationError`.
    func lease(_ id: String, in engine: String? = nil) async throws -> ModelLease? {
        let taken = state.withLock { state -> (place: ModelPlace, resident: Resident)? in
            let usual = ModelPlace(id)
            guard state.shelf.status(of: usual) != nil else { return nil }
            // What runs in that engine already is not loaded again.
            let isThere = state.residents[usual]?.loaded?.model.engine == engine
            let place = isThere ? usual : ModelPlace(id, in: engine)
            state.shelf.lease(place, now: .now)
            return (place, resident(at: place, &state))
        }
        guard let taken else { return nil }
        // From here on the lease is ended when it is released, whatever happens.
        let release: @Sendable () -> Void = { [self, place = taken.place] in
            state.withLock { $0.shelf.release(place, now: .now) }
        }
        do {
            switch taken.resident {
            case .loaded(let loaded): return ModelLease(loaded, end: release)
            case .loading(let task): return ModelLease(try await task.valueUnlessCancelled(), end: release)
            }
        } catch {
            release()
            throw error
        }
    }

    private func resident(at place: ModelPlace, _ state: inout State) -> Resident {
        if let known = state.residents[place] { return known }
        let new = Resident.loading(Task { try await load(place) })
        state.residents[place] = new
        set(place, .loading, &state)
        return new
    }

    private func load(_ place: ModelPlace) async throws -> LoadedRunner {
        // What is leaving still has its memory.
        for task in state.withLock({ Array($0.leaving.values) }) { await task.value }
        while true {
            let departures = state.withLock { $0.departures }
            do {
                let began = ContinuousClock.now
                var loaded = try await loader(place)
                loaded.model.loadTime = began.duration(to: .now)
                let new = loaded
                state.withLock { state in
                    state.residents[place] = .loaded(new)
                    if place.engine == nil {
                        state.failures[place.id] = nil
                        state.everLoaded.insert(place.id)
                    }
                    set(place, .loaded, &state)
                }
                return new
            } catch {
                let error = ServerError(answering: error)
                if error.error.code == .insufficientMemory, await makeRoom(since: departures) { continue }
                state.withLock { state in
                    state.residents[place] = nil
                    if place.engine == nil { state.failures[place.id] = error }
                    set(place, .failed, &state)
                }
                throw error
            }
        }
    }

    private func set(_ place: ModelPlace, _ status: ServedModel.Status, _ state: inout State) {
        state.shelf.set(place, status, now: .now)
        // What is in an engine of choice is in no list.
        if place.engine == nil { events.send(.status(model: place.id, status)) }
    }

    // MARK: - Unloading

    /// Waits until a model has left: one that leaves already, else the one that nobody has used for the longest time.
    ///
    /// - Parameter departures: how many had left before memory was found to be short; nil for those of now.
    /// - Returns: whether memory has become free; false where all is in use.
    func makeRoom(since departures: Int? = nil) async -> Bool {
        let (hasRoom, leaving) = state.withLock { state -> (Bool, [Task<Void, Never>]) in
            let hasRoom = departures.map { $0 < state.departures } ?? false
            if !hasRoom, state.leaving.isEmpty, let place = state.shelf.leastRecentlyUsed { _ = leave(place, &state) }
            return (hasRoom, hasRoom ? [] : Array(state.leaving.values))
        }
        for task in leaving { await task.value }
        return hasRoom || !leaving.isEmpty
    }

    /// Unloads the models that nobody has used for a while.
    func tidy(now: ContinuousClock.Instant) async { await free { $0.shelf.expired(now: now) } }

    /// Unloads all models, whose replies end as cancelled.
    func unloadAll() async { await free { Array($0.residents.keys) } }

    /// Frees the memory of a model that is not in use; one that is not in memory is left as it is.
    ///
    /// - Throws: ``ServerError`` with code `model_in_use`.
    func unload(_ id: String) async throws {
        let task = try state.withLock { state throws(ServerError) in
            guard !state.shelf.isInUse(ModelPlace(id)) else { throw ServerError.inUse }
            return leave(ModelPlace(id), &state)
        }
        await task?.value
    }

    /// Frees the memory that a model has taken in an engine of choice, unless it is in use.
    func unload(_ id: String, in engine: String) async {
        let place = ModelPlace(id, in: engine)
        // Whoever asked for it may have left while it was loaded.
        if case .loading(let task)? = state.withLock({ $0.residents[place] }) { _ = await task.result }
        await free { $0.shelf.isInUse(place) ? [] : [place] }
    }

    /// Makes a model unknown, so that nobody loads it; what is in memory of it stays until ``unloadAll(of:)``.
    ///
    /// - Returns: false if none of the name is known.
    /// - Throws: ``ServerError`` with code `model_in_use`, also where only an engine of choice is in use.
    func withdraw(_ id: String) throws(ServerError) -> Bool {
        try state.withLock { state throws(ServerError) in
            guard state.shelf.status(of: ModelPlace(id)) != nil else { return false }
            guard !state.shelf.isInUse(anywhere: id) else { throw ServerError.inUse }
            state.shelf.remove(id)
            state.failures[id] = nil
            return true
        }
    }

    /// Unloads a model from all its places.
    func unloadAll(of id: String) async { await free { $0.residents.keys.filter { $0.id == id } } }

    private func free(_ places: (State) -> [ModelPlace]) async {
        let tasks = state.withLock { state in places(state).compactMap { leave($0, &state) } }
        for task in tasks { await task.value }
    }

    private func leave(_ place: ModelPlace, _ state: inout State) -> Task<Void, Never>? {
        guard let loaded = state.residents[place]?.loaded else { return nil }
        state.residents[place] = nil
        set(place, .unloaded, &state)
        let task = Task {
            await loaded.runner.unload()
            self.state.withLock { state in
                state.leaving[place] = nil
                state.departures += 1
            }
        }
        state.leaving[place] = task
        return task
    }
}

extension ServerError {
    fileprivate static let inUse = ServerError(
        409, .modelInUse, "The model has replies that run or wait. Try again when they have ended.")
}
