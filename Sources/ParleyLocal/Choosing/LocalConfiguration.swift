// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging

/// How a local model is loaded.
public struct LocalConfiguration: Sendable {
    /// The tokens that a prompt and its reply may have together; nil takes what the model was trained for, within the
    /// engine's usual bound and the machine's memory.
    public var contextSize: Int?
    /// The threads to compute with; nil takes the processors that this process may use.
    public var threads: Int?
    /// How many conversations keep their cache. Each takes the memory of a whole context.
    public var timelines: Int
    /// The file with the projector that lets the model see images, for engines that read such files.
    public var projector: URL?
    /// Whether the weights are locked in memory, so that they are never swapped out. The system may forbid it; loading
    /// then fails with the reason.
    public var locksMemory: Bool
    /// Told how the model is loaded, what is kept for its conversations, and what each reply took; silent by default. It
    /// never hears of prompts, replies or tokens.
    public var logger = Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a configuration.
    public init(
        contextSize: Int? = nil, threads: Int? = nil, timelines: Int = 4, projector: URL? = nil,
        locksMemory: Bool = false
    ) {
        self.contextSize = contextSize
        self.threads = threads
        self.timelines = timelines
        self.projector = projector
        self.locksMemory = locksMemory
    }
}
