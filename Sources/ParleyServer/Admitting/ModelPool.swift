// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyOpenAI
import Synchronization

/// Models that are loaded when they are asked for, and unloaded when others need their memory or nobody has used them
/// for a while.
///
/// Requests for one model share one load, which a client that leaves does not undo.
public final class ModelPool: ServedModels {
    /// Loads a model that is on this machine; throws ``ServerError`` with code `insufficient_memory` where it does not
    /// fit.
    public typealias Loader = @Sendable (_ id: String) async throws -> LoadedRunner

    private struct State {
        var shelf: ModelShelf
        var loaded: [String: LoadedRunner] = [:]
        var loading: [String: Task<LoadedRunner, any Error>] = [:]
        var unloading: [String: Task<Void, Never>] = [:]
        /// What the latest attempt to load a model has thrown.
        var failures: [String: ServerError] = [:]
    }

    /// No other lock is taken while this one is held.
    private let state: Mutex<State>
    private let models: [ServedModel]
    private let pinned: [String]
    private let loader: Loader

    /// Creates a pool without a model in memory.
    ///
    /// - Parameters:
    ///   - models: the models on this machine, in the order in which they are listed.
    ///   - pinned: the names of those that stay in memory.
    ///   - keepAlive: how long the others stay without a reply.
    ///   - loader: loads a model.
    public init(
        _ models: [ServedModel], pinned: [String] = [], keepAlive: Duration = .seconds(900), loader: @escaping Loader
    ) {
        self.models = models
        self.pinned = pinned
        self.loader = loader
        var shelf = ModelShelf(keepAlive: keepAlive)
        for model in models { shelf.add(model.id, isPinned: pinned.contains(model.id), now: .now) }
        state = Mutex(State(shelf: shelf))
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
            models.map { model in
                var model = state.loaded[model.id]?.model ?? model
                model.status = state.shelf.status(of: model.id) ?? .unloaded
                return model
            }
        }
    }

    /// Whether the first pinned model is in memory, or none is pinned.
    public func isReady() async -> Bool {
        guard let first = pinned.first else { return true }
        return state.withLock { $0.shelf.status(of: first) == .loaded }
    }

    /// Takes a model for a reply; see ``ServedModels/lease(_:)``.
    ///
    /// - Throws: ``ServerError``.
    public func lease(_ id: String) async throws -> ModelLease {
        guard models.contains(where: { $0.id == id }) else {
            throw ServerError.modelNotFound(id, among: models.map(\.id))
        }
        let task = state.withLock { state in
            state.shelf.lease(id, now: .now)
            return loading(id, &state)
        }
        // From here on the lease is ended when it is released, whatever happens.
        let release: @Sendable () -> Void = { [self] in state.withLock { $0.shelf.release(id, now: .now) } }
        do {
            return ModelLease(try await task.value, end: release)
        } catch {
            release()
            throw error
        }
    }

    private func loading(_ id: String, _ state: inout State) -> Task<LoadedRunner, any Error> {
        if let loaded = state.loaded[id] { return Task { loaded } }
        if let running = state.loading[id] { return running }
        let task = Task { try await load(id) }
        state.loading[id] = task
        state.shelf.set(id, .loading, now: .now)
        return task
    }

    private func load(_ id: String) async throws -> LoadedRunner {
        // What is leaving still has its memory.
        for task in state.withLock({ Array($0.unloading.values) }) { await task.value }
        while true {
            do {
                let loaded = try await loader(id)
                state.withLock { state in
                    state.loaded[id] = loaded
                    state.loading[id] = nil
                    state.failures[id] = nil
                    state.shelf.set(id, .loaded, now: .now)
                }
                return loaded
            } catch {
                let error = ServerError(answering: error)
                if error.error.code == .insufficientMemory, await unloadLeastRecentlyUsed() { continue }
                state.withLock { state in
                    state.loading[id] = nil
                    state.failures[id] = error
                    state.shelf.set(id, .failed, now: .now)
                }
                throw error
            }
        }
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
        state.shelf.set(id, .unloaded, now: .now)
        let task = Task {
            await loaded.runner.unload()
            self.state.withLock { $0.unloading[id] = nil }
        }
        state.unloading[id] = task
        return task
    }
}

extension ServerError {
    /// The answer for a model that is not there.
    static func modelNotFound(_ id: String, among known: [String]) -> ServerError {
        // The name comes from the client, so it is not repeated at any length.
        let shown = known.prefix(32).joined(separator: ", ")
        return ServerError(
            404, .modelNotFound,
            "There is no model \"\(id.prefix(100))\" here. There are: \(shown.isEmpty ? "none" : shown).",
            param: "model")
    }
}
