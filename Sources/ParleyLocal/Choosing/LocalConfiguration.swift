// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
public import ParleyRuntime

/// The options for loading a local model.
public struct LocalConfiguration: Sendable {
    /// The maximum number of tokens in a prompt and its reply together; nil for the context the model was trained for,
    /// limited by the engine's usual maximum and the machine's memory.
    public var contextSize: Int?
    /// The number of threads that run the model; nil for the number of processors that this process may use.
    public var threads: Int?
    /// The number of conversations whose cache is kept; each takes the memory of a whole context. What a prompt has in
    /// common with any of them is not read again.
    public var timelines: Int
    /// The memory that the caches of all conversations may take together, in bytes; nil, the default, to be limited by
    /// their number alone.
    ///
    /// A reply that finds too little waits until other replies have ended, and one without a limit of its own may be set
    /// back and read again later. What is kept of idle conversations makes room first. Engines that do not tell what a
    /// token takes have no such limit.
    public var cacheMemory: Int?
    /// How the caches store keys and values; the native engine has all types, others have their own.
    public var cacheType = CacheType.f16
    /// How much of the machine the model uses on a battery, and when it is hot; the native engine follows it, others use
    /// all their threads.
    public var power = PowerPolicy.automatic
    /// The file of the projector that lets the model take images, for engines that read such files.
    public var projector: URL?
    /// Whether to load the projector that came with the model if ``projector`` is nil and an engine supports it.
    ///
    /// Without a projector the model takes only text, and needs less memory.
    public var loadsOwnProjector: Bool
    /// Whether the weights are locked in memory, so that they are never swapped out.
    ///
    /// The system may refuse this; loading then fails with the reason.
    public var locksMemory: Bool
    /// The folder in which the caches of conversations outlast the process; nil, the default, to keep none.
    public var caches: CacheFolder?
    /// Records how the model is loaded, what is kept for its conversations, and the figures of each reply.
    ///
    /// It discards everything by default. Prompts, replies and tokens are never logged.
    public var logger = Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a configuration.
    public init(
        contextSize: Int? = nil, threads: Int? = nil, timelines: Int = 4, projector: URL? = nil,
        loadsOwnProjector: Bool = true, locksMemory: Bool = false
    ) {
        self.contextSize = contextSize
        self.threads = threads
        self.timelines = timelines
        self.projector = projector
        self.loadsOwnProjector = loadsOwnProjector
        self.locksMemory = locksMemory
    }
}
