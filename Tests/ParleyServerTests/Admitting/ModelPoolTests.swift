// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyModels
import ParleyOpenAI
import ParleyServer
import ParleyTesting
import Synchronization
import Testing

/// Loads scripted models, as many as fit.
private final class Shelf: Sendable {
    private struct State {
        var loaded: [String] = []
        var log: [String] = []
        var refusals = 0
    }

    private let state = Mutex(State())
    private let room: Int
    private let sizes: [String: Int]
    let gate = Gate()
    /// What leaves keeps its memory until it is opened; nil for no gate.
    let exit: Gate?

    /// Creates a shelf; what has no size takes one of its room.
    init(room: Int, sizes: [String: Int] = [:], exit: Gate? = nil) {
        (self.room, self.sizes, self.exit) = (room, sizes, exit)
    }

    var log: [String] { state.withLock { $0.log } }

    /// How many loads found no room.
    var refusals: Int { state.withLock { $0.refusals } }

    func load(_ id: String) async throws -> LoadedRunner {
        try await gate.wait()
        try state.withLock { state in
            let taken = state.loaded.reduce(0) { $0 + (sizes[$1] ?? 1) }
            guard taken + (sizes[id] ?? 1) <= room else {
                state.refusals += 1
                throw ServerError(503, .insufficientMemory, "It does not fit.")
            }
            state.loaded.append(id)
            state.log.append("load \(id)")
        }
        return LoadedRunner(ServedModel(id: id, created: 0), runner: Unloading(id) { [self] in await unload(id) })
    }

    private func unload(_ id: String) async {
        try? await exit?.wait()
        state.withLock { state in
            state.loaded.removeAll { $0 == id }
            state.log.append("unload \(id)")
        }
    }

    private struct Unloading: ModelRunner {
        let modelID: String
        let onUnload: @Sendable () async -> Void

        init(_ id: String, onUnload: @escaping @Sendable () async -> Void) {
            (modelID, self.onUnload) = (id, onUnload)
        }

        func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
            GenerationOutcome(.stop)
        }

        func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: GenerationOptions?
        ) async throws -> Int { 0 }

        func unload() async { await onUnload() }
    }
}

@Suite("Models on demand")
struct ModelPoolTests {
    private func pool(_ shelf: Shelf, _ ids: [String], pinned: [String] = [], keepAlive: Duration = .seconds(900))
        -> ModelPool
    {
        ModelPool(ids.map { ServedModel(id: $0, created: 0) }, pinned: pinned, keepAlive: keepAlive) { id, _ in
            try await shelf.load(id)
        }
    }

    @Test("Requests for one model share one load, which one that leaves does not undo.")
    func sharing() async throws {
        let shelf = Shelf(room: 1)
        let pool = pool(shelf, ["a"])
        let leaving = Task { try await pool.lease("a") }
        await shelf.gate.arrival()
        #expect(await pool.list().map(\.status) == [.loading])
        leaving.cancel()
        let others = (0..<4).map { _ in Task { try await pool.lease("a") } }
        shelf.gate.open()
        for other in others { _ = try await other.value }
        #expect(shelf.log == ["load a"])
        #expect(await pool.list().map(\.status) == [.loaded])
    }

    @Test("A server whose first model was loaded stays ready when a client unloads it, also if nobody asked before.")
    func unloadedAgain() async throws {
        let shelf = Shelf(room: 1)
        shelf.gate.open()
        let pool = pool(shelf, ["a"], pinned: ["a"])
        try await pool.loadPinned()
        try await pool.unload("a")
        #expect(await pool.isReady())
    }

    @Test("A model that is not the store's stays in memory when somebody wants to remove it.")
    func foreign() async throws {
        let shelf = Shelf(room: 1)
        shelf.gate.open()
        var model = ServedModel(id: "a", created: 0)
        model.isRemovable = false
        let pool = ModelPool([model], library: AnyModel()) { id, _ in try await shelf.load(id) }
        _ = try await pool.lease("a")
        let error = await #expect(throws: ServerError.self) { try await pool.delete("a") }
        #expect(error?.status == 400)
        #expect(shelf.log == ["load a"])
        #expect(await pool.list().map(\.status) == [.loaded])
    }

    @Test("The one that has been idle longest goes for a new one; one in use never does, nor one that is pinned.")
    func eviction() async throws {
        let shelf = Shelf(room: 2)
        shelf.gate.open()
        let pool = pool(shelf, ["p", "a", "b"], pinned: ["p"])
        #expect(await pool.isReady() == false)
        try await pool.loadPinned()
        #expect(await pool.isReady())
        _ = try await pool.lease("a")
        _ = try await pool.lease("b")
        #expect(shelf.log == ["load p", "load a", "unload a", "load b"])
        let lease = try await pool.lease("b")
        let error = await #expect(throws: ServerError.self) { try await pool.lease("a") }
        #expect(error?.error.code == .insufficientMemory)
        #expect(error?.status == 503)
        #expect(lease.loaded.model.id == "b")
        #expect(await pool.list().map(\.status) == [.loaded, .failed, .loaded])
    }

    @Test("A model in an engine of choice is loaded beside, listed nowhere, and goes when it is no longer wanted.")
    func engines() async throws {
        let shelf = Shelf(room: 3)
        shelf.gate.open()
        var model = ServedModel(id: "a", created: 0)
        model.engine = "own"
        let pool = ModelPool(
            [model], library: AnyModel(),
            engineLoader: { id, engine in
                var loaded = try await shelf.load("\(id) in \(engine)")
                (loaded.model.id, loaded.model.engine) = (id, engine)
                return loaded
            },
            loader: { [model] id, _ in LoadedRunner(model, runner: try await shelf.load(id).runner) })
        _ = try await pool.lease("a")
        // What runs in it already is not loaded again.
        #expect(try await pool.lease("a", in: "own").loaded.model.engine == "own")
        var other: ModelLease? = try await pool.lease("a", in: "other")
        #expect(other?.loaded.model.engine == "other")
        await pool.unload("a", in: "other")
        #expect(shelf.log == ["load a", "load a in other"], "it is in use")
        #expect(await pool.list().map(\.id) == ["a"])
        #expect(await pool.loaded().count == 1)
        other = nil
        await pool.unload("a", in: "other")
        await pool.unload("a", in: "other")
        #expect(shelf.log == ["load a", "load a in other", "unload a in other"])
        #expect(await pool.list().map(\.status) == [.loaded])
        await #expect(throws: ServerError.self) { try await pool.lease("b", in: "other") }
        // What is removed goes everywhere.
        _ = try await pool.lease("a", in: "other")
        try await pool.delete("a")
        #expect(Set(shelf.log.suffix(2)) == ["unload a", "unload a in other"])
    }

    @Test("A model that is in use in an engine of choice alone is not removed.")
    func engineInUse() async throws {
        let shelf = Shelf(room: 2)
        shelf.gate.open()
        let pool = ModelPool(
            [ServedModel(id: "a", created: 0)], library: AnyModel(),
            engineLoader: { id, engine in try await shelf.load("\(id) in \(engine)") },
            loader: { id, _ in try await shelf.load(id) })
        var lease: ModelLease? = try await pool.lease("a", in: "other")
        let refusal = await #expect(throws: ServerError.self) { try await pool.delete("a") }
        #expect(refusal?.status == 409 && refusal?.error.code == .modelInUse)
        #expect(lease?.loaded.model.id == "a in other")
        #expect(await pool.list().map(\.id) == ["a"])
        lease = nil
        try await pool.delete("a")
        #expect(shelf.log == ["load a in other", "unload a in other"])
        #expect(await pool.list().isEmpty)
    }

    @Test("A load that finds no memory while a model leaves waits for that; both fit then.")
    func leaving() async throws {
        let (exit, gates) = (Gate(), ["a": Gate(), "b": Gate()])
        let shelf = Shelf(room: 2, sizes: ["large": 2], exit: exit)
        shelf.gate.open()
        let pool = ModelPool(["large", "a", "b"].map { ServedModel(id: $0, created: 0) }) { id, _ in
            try await gates[id]?.wait()
            return try await shelf.load(id)
        }
        _ = try await pool.lease("large")
        // Both have begun to load before the one that has all memory leaves.
        let loads = ["a", "b"].map { id in Task { try await pool.lease(id).loaded.model.id } }
        for gate in gates.values { await gate.arrival() }
        for gate in gates.values { gate.open() }
        while shelf.refusals < 2 { await Task.yield() }
        exit.open()
        for (load, id) in zip(loads, ["a", "b"]) { #expect(try await load.value == id) }
        #expect(await pool.list().map(\.status) == [.unloaded, .loaded, .loaded])
    }

    @Test("What is not a model of the pool has the memory of the one that is idle, not of one in use.")
    func room() async throws {
        let shelf = Shelf(room: 2)
        shelf.gate.open()
        let pool = pool(shelf, ["a", "b"])
        _ = try await pool.lease("a")
        let lease = try await pool.lease("b")
        #expect(await pool.makeRoom())
        #expect(await pool.makeRoom() == false)
        #expect(shelf.log == ["load a", "load b", "unload a"])
        #expect(lease.loaded.model.id == "b")
    }

    @Test("Where memory is short, what was taken in an engine of choice goes as any other model.")
    func engineEviction() async throws {
        let shelf = Shelf(room: 1)
        shelf.gate.open()
        let pool = ModelPool(
            [ServedModel(id: "a", created: 0)],
            engineLoader: { id, engine in try await shelf.load("\(id) in \(engine)") },
            loader: { id, _ in try await shelf.load(id) })
        _ = try await pool.lease("a", in: "other")
        _ = try await pool.lease("a")
        #expect(shelf.log == ["load a in other", "unload a in other", "load a"])
        let plain = ModelPool([ServedModel(id: "a", created: 0)]) { id, _ in try await shelf.load(id) }
        let refusal = await #expect(throws: ServerError.self) { try await plain.lease("a", in: "other") }
        #expect(refusal?.status == 400)
    }

    @Test("What nobody has used for a while goes; a lease keeps it.")
    func keepAlive() async throws {
        let shelf = Shelf(room: 2)
        shelf.gate.open()
        let pool = pool(shelf, ["a", "b"])
        let start = ContinuousClock.now
        _ = try await pool.lease("a")
        let lease = try await pool.lease("b")
        await pool.tidy(now: start + .seconds(800))
        #expect(shelf.log.count == 2)
        await pool.tidy(now: .now + .seconds(1_000))
        #expect(shelf.log.last == "unload a")
        #expect(lease.loaded.model.id == "b")
        #expect(await pool.list().map(\.status) == [.unloaded, .loaded])
    }

    @Test("Lists, figures and the server's health are no use of a model; a reply is.", .timeLimit(.minutes(15)))
    func lists() async throws {
        let shelf = Shelf(room: 2)
        shelf.gate.open()
        let pool = pool(shelf, ["a", "b", "c"])
        try await ServerTrial.with(pool) { (trial: ServerTrial) async throws in
            for model in ["a", "b"] { #expect(try await trial.chat(["model": .string(model)]).status == 200) }
            for path in ["/v1/models", "/v1/models/a", "/health", "/metrics", "/parley/v1/status"] {
                #expect(try await trial.ask(ServerTrial.get(path)).status == 200)
            }
            #expect(try await trial.chat(["model": "c"]).status == 200)
            #expect(shelf.log == ["load a", "load b", "unload a", "load c"])
            for model in ["b", "a"] { #expect(try await trial.chat(["model": .string(model)]).status == 200) }
            #expect(shelf.log.suffix(2) == ["unload c", "load a"])
        }
    }

    @Test("An unknown model is 404 with the names of those that are there.")
    func unknown() async {
        let pool = pool(Shelf(room: 1), ["a", "b"])
        let error = await #expect(throws: ServerError.self) { try await pool.lease("c") }
        #expect(error?.status == 404)
        #expect(error?.error.message.contains("a, b") == true)
    }

    @Test("A model of the catalog that is not here is told with the command that fetches it, no name as missing.")
    func absent() async throws {
        let pool = pool(Shelf(room: 1), ["a"])
        let name = try #require(Catalog.builtIn.defaultEntry?.name)
        let error = await #expect(throws: ServerError.self) { try await pool.lease("\(name):Q8_0") }
        #expect(error?.error.message.contains("'parley models pull \(name)' fetches it.") == true)
        let empty = await #expect(throws: ServerError.self) { try await pool.lease("") }
        #expect(empty?.error.message == "model is missing; there is none to take instead.")
        #expect(empty?.status == 400)
    }

    @Test("What is no name of a model begins no job.")
    func nonsense() async throws {
        let pool = ModelPool([], library: Careful()) { _, _ in throw CancellationError() }
        let error = await #expect(throws: ServerError.self) { try await pool.fetch("nonsense") }
        #expect(error?.status == 404)
        #expect(await pool.jobs().isEmpty)
    }

    @Test("A server without a model is ready, and says what to do; what it fetches is served, the usual one first.")
    func firstModel() async throws {
        let shelf = Shelf(room: 2)
        shelf.gate.open()
        let pool = ModelPool([], preferred: "usual", library: AnyModel()) { id, _ in try await shelf.load(id) }
        #expect(await pool.isReady())
        try await pool.loadPinned()
        let error = await #expect(throws: ServerError.self) { try await pool.lease("usual") }
        #expect(error?.status == 404)
        #expect(error?.error.message.contains("There are: none. 'parley models pull' fetches") == true)
        for model in ["other", "usual", "third"] {
            _ = try await pool.fetch(model)
            while await !pool.list().contains(where: { $0.id == model }) { await Task.yield() }
        }
        #expect(await pool.list().map(\.id) == ["usual", "other", "third"])
        #expect(try await pool.lease("usual").loaded.model.id == "usual")
    }

    @Test("Nobody loads a model that waits to be removed; it is back where that fails.", arguments: [false, true])
    func removal(fails: Bool) async throws {
        let shelf = Shelf(room: 2)
        shelf.gate.open()
        let library = SlowLibrary(fails: fails)
        let pool = ModelPool(["a", "b"].map { ServedModel(id: $0, created: 0) }, library: library) { id, _ in
            try await shelf.load(id)
        }
        _ = try await pool.lease("a")
        let removal = Task { try await pool.delete("a") }
        await library.gate.arrival()
        let error = await #expect(throws: ServerError.self) { try await pool.lease("a") }
        #expect(error?.error.code == .modelNotFound)
        let again = await #expect(throws: ServerError.self) { try await pool.delete("a") }
        #expect(again?.error.code == .modelNotFound)
        #expect(await pool.list().map(\.id) == ["b"])
        library.gate.open()
        let result = await removal.result
        #expect(shelf.log == ["load a", "unload a"])
        guard fails else {
            #expect(throws: Never.self) { try result.get() }
            #expect(await pool.list().map(\.id) == ["b"])
            return
        }
        #expect(throws: ServerError.self) { try result.get() }
        #expect(await pool.list().map(\.id) == ["a", "b"])
        _ = try await pool.lease("a")
        #expect(shelf.log == ["load a", "unload a", "load a"])
    }

    @Test("Why a model could not be loaded is told with it, until it can.")
    func failure() async throws {
        let shelf = Shelf(room: 1)
        shelf.gate.open()
        let pool = pool(shelf, ["a", "b"])
        let lease = try await pool.lease("a")
        await #expect(throws: ServerError.self) { try await pool.lease("b") }
        #expect(await pool.list().map(\.failure) == [nil, "It does not fit."])
        #expect(lease.loaded.model.id == "a")
    }
}

/// Fetches every model at once.
private struct AnyModel: ModelLibrary {}

/// Knows no model.
private struct Careful: ModelLibrary {
    func check(_ reference: String) throws { throw ModelStoreError(.unknownModel, "There is no such model.") }
}
