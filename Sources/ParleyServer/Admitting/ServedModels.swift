// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyModels
import ParleyOpenAI
public import ParleySystem

/// What is known of a model that the server offers.
public struct ServedModel: Sendable, Hashable {
    /// Whether a model is in memory.
    public enum Status: String, Sendable, Hashable {
        /// It is in memory.
        case loaded
        /// It is being loaded.
        case loading
        /// It will be loaded when it is asked for.
        case unloaded
        /// It could not be loaded.
        case failed
    }

    /// The name by which requests ask for it.
    public var id: String
    /// The name that its authors gave it; nil where it is not known.
    public var title: String?
    /// The licence: its SPDX identifier, or its name where it has none; nil where it is not known.
    public var license: String?
    /// When it was installed, in seconds since 1970.
    public var created: Int
    /// Whether it is in memory.
    public var status = Status.unloaded
    /// The longest prompt and reply together, in tokens, as it is served; nil while it is not known.
    public var contextSize: Int?
    /// What it is able to do; nil while it is not known.
    public var capabilities: ModelCapabilities?
    /// How its weights are stored.
    public var quantization: String?
    /// The size of its files.
    public var size: ByteSize?
    /// The memory that it needs with the usual context; nil where it is not known.
    public var memory: ByteSize?
    /// The largest context in tokens that fitted into memory when it was found; 0 if none did, nil where it is not known.
    public var largestContext: Int?
    /// Why it could not be loaded; nil unless that has failed.
    public var failure: String?
    /// Identifies the model and the software, including their versions.
    public var fingerprint: String?
    /// The digest of the file of its weights, such as `sha256:…`; nil while it is not known.
    public var digest: String?
    /// The name of the engine that runs it; nil if it is not in memory, or its engine is not known.
    public var engine: String?
    /// The names of the engines that read its form, the preferred one first; empty where they are not known.
    public var engines: [String] = []
    /// Whether it can be removed from this machine: whether it is in Parley's store.
    public var isRemovable = true
    /// How long it took to load it; nil if it is not in memory.
    public var loadTime: Duration?

    /// Creates the description of a model.
    public init(id: String, created: Int) {
        self.id = id
        self.created = created
    }
}

/// A model in memory, for as long as it is leased.
public struct LoadedRunner: Sendable {
    /// What is known of it.
    public var model: ServedModel
    /// What generates its replies.
    public var runner: any ModelRunner

    /// Creates a loaded model.
    public init(_ model: ServedModel, runner: any ModelRunner) {
        self.model = model
        self.runner = runner
    }
}

/// The models that a server offers.
///
/// ``ModelPool`` is one that loads models on demand.
public protocol ServedModels: Sendable {
    /// The models, in the order in which they are listed.
    func list() async -> [ServedModel]

    /// Whether a request that comes now finds what it needs: false while the first model is being loaded.
    func isReady() async -> Bool

    /// Takes a model for a reply, and loads it if it is on this machine and not in memory.
    ///
    /// It stays in memory until the lease is ended; a request never fetches a model.
    ///
    /// - Throws: ``ServerError`` if there is no such model, or it cannot be loaded.
    func lease(_ id: String) async throws -> ModelLease

    /// The models in memory; asking for them is no use of them.
    func loaded() async -> [LoadedRunner]

    /// Unloads what nobody has used for a while; called from time to time.
    func tidy(now: ContinuousClock.Instant) async

    /// Unloads the model that nobody has used for the longest time, for something else that needs its memory.
    ///
    /// - Returns: whether memory has become free; false where all models are in use or stay.
    func makeRoom() async -> Bool
}

/// Models that can be taken in an engine of choice, beside the one that they run on otherwise; an optional capability.
public protocol EngineModels: ServedModels {
    /// Takes a model in an engine, and loads it into that if it does not run there already.
    ///
    /// What is loaded for this is not listed, and takes memory of its own.
    ///
    /// - Throws: ``ServerError`` if there is no such model, or it cannot be loaded.
    func lease(_ id: String, in engine: String) async throws -> ModelLease

    /// Frees the memory that a model has taken in an engine of choice, unless it is in use.
    func unload(_ id: String, in engine: String) async
}

extension ServerError {
    /// The answer where an engine is chosen that cannot be.
    static let noChoiceOfEngine = ServerError(
        400, .invalidValue, "This server lets nobody choose an engine.", param: "engines")
}

/// A model that cannot be unloaded until the lease has ended.
public final class ModelLease: Sendable {
    /// The model.
    public let loaded: LoadedRunner
    private let end: @Sendable () -> Void

    /// Creates a lease; `end` is called once, when it is released.
    public init(_ loaded: LoadedRunner, end: @escaping @Sendable () -> Void) {
        self.loaded = loaded
        self.end = end
    }

    deinit { end() }
}
