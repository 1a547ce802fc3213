// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
public import ParleyModels
public import ParleySystem

/// Models that can be managed through the server, by clients whose key allows it; an optional capability.
public protocol ManagedModels: ServedModels {
    /// The models that could be fetched.
    func catalog() async -> [FetchableModel]

    /// Begins to fetch a model, by a name of the catalog or an address as everywhere. A job of the same model that is
    /// paused or has failed goes on.
    ///
    /// - Throws: ``ServerError`` if that is not possible.
    func fetch(_ reference: String) async throws -> FetchJob

    /// The jobs of now and before, the oldest first.
    func jobs() async -> [FetchJob]

    /// Ends a job; what has come is kept for a later one. One that has failed counts as ended from then on.
    ///
    /// - Throws: ``ServerError`` if there is no such job.
    func cancelJob(_ id: String) async throws -> FetchJob

    /// Stops a job, which goes on when the model is fetched again; what has come is kept as far as its source allows.
    ///
    /// - Throws: ``ServerError`` if there is no such job.
    func pauseJob(_ id: String) async throws -> FetchJob

    /// Loads a model, if it is not in memory.
    ///
    /// - Throws: ``ServerError``.
    func load(_ id: String) async throws

    /// Frees the memory of a model that is not in use.
    ///
    /// - Throws: ``ServerError``.
    func unload(_ id: String) async throws

    /// Removes a model from this machine, which is unloaded before.
    ///
    /// - Throws: ``ServerError``.
    func delete(_ id: String) async throws

    /// What happens from now on. A reader that is slow loses the oldest events.
    func events() -> AsyncStream<ModelEvent>
}

/// A model that could be fetched.
public struct FetchableModel: Sendable, Hashable {
    /// The name to fetch it by.
    public var name: String
    /// The name that its authors gave it.
    public var title: String
    /// The size of its file; nil where it is not known.
    public var size: ByteSize?
    /// The memory that it needs.
    public var memory: ByteSize
    /// What it is able to do.
    public var capabilities: ModelCapabilities
    /// Whether it is on this machine.
    public var isInstalled: Bool
    /// The licence: its SPDX identifier, or its name where it has none; nil where it is not known.
    public var license: String?
    /// A context in tokens that fits into memory; 0 if none does, nil where it is not known.
    public var largestContext: Int?

    /// Creates the description of a model.
    public init(
        name: String, title: String, size: ByteSize?, memory: ByteSize, capabilities: ModelCapabilities,
        isInstalled: Bool
    ) {
        self.name = name
        self.title = title
        self.size = size
        self.memory = memory
        self.capabilities = capabilities
        self.isInstalled = isInstalled
    }
}

/// The work of fetching a model.
public struct FetchJob: Sendable, Hashable {
    /// How far a job is.
    public enum Status: String, Sendable, Hashable {
        /// It runs.
        case running
        /// All has come, and the model is being taken out of its archive.
        case unpacking
        /// All has come, and is being checked.
        case verifying
        /// It was stopped, and goes on when the model is fetched again.
        case paused
        /// The model is on this machine.
        case done
        /// It has failed.
        case failed
        /// It was ended.
        case cancelled
    }

    /// The name of the job.
    public var id: String
    /// What is fetched, as it was asked for.
    public var model: String
    /// How far it is.
    public var status = Status.running
    /// The number of bytes that have come.
    public var received: Int64 = 0
    /// The number of bytes in all; 0 while it is not known.
    public var total: Int64 = 0
    /// How many bytes come in a second; nil while it is not known.
    public var rate: Double?
    /// In how many seconds all will have come; nil while it is not known.
    public var secondsLeft: Double?
    /// Why it failed.
    public var failure: String?
    /// Whether fetching again may help; false for what has failed and would fail again, such as a model that does not exist.
    public var canBeRetried = true

    /// Whether work is being done for it.
    var isBusy: Bool { status == .running || status == .unpacking || status == .verifying }
}

/// What happens to models.
public enum ModelEvent: Sendable, Hashable {
    /// A model is loaded, or not any more.
    case status(model: String, ServedModel.Status)
    /// How much of a model has been loaded, from 0 to 1.
    case loading(model: String, fraction: Double)
    /// A job goes on.
    case job(FetchJob)
}

/// What a pool of models fetches and removes them with.
public protocol ModelLibrary: Sendable {
    /// The models that could be fetched.
    func catalog() async -> [FetchableModel]

    /// Checks, without the network, that a text is the name or address of a model that could be fetched.
    ///
    /// - Throws: any error; its description says the remedy.
    func check(_ reference: String) throws

    /// Fetches a model.
    ///
    /// - Parameters:
    ///   - reference: a name of the catalog or an address.
    ///   - report: receives the progress.
    /// - Returns: the model.
    /// - Throws: any error; its description says the remedy.
    func fetch(
        _ reference: String, report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> ServedModel

    /// Removes a model from this machine.
    ///
    /// - Throws: any error; its description says the remedy.
    func remove(_ id: String) async throws
}

extension ModelLibrary {
    /// Takes every text: fetching tells what is wrong with it.
    public func check(_ reference: String) throws {}
}
