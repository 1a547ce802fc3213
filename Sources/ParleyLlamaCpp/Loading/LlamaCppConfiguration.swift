// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyModelFile

/// How llama.cpp runs a model.
package struct LlamaCppConfiguration: Sendable, Hashable {
    /// The longest sequence in tokens; nil takes the smallest of the trained length, 8,192 and what fits in memory.
    package var context: Int?
    /// The threads that share a step; nil takes the processors this process may use.
    package var threads: Int?
    /// How many sequences share a cache and can run in one batch; their memory is allocated together.
    package var sequences: Int
    /// The layers to run on a graphics processor; nil leaves it to llama.cpp.
    package var gpuLayers: Int?
    /// The file with the projector that lets the model see images; nil for text only.
    package var projector: URL?
    /// Whether the weights are locked in memory. The system may forbid it; see RLIMIT_MEMLOCK in getrlimit(2).
    package var locksMemory: Bool

    /// The context where nothing is asked for, in tokens.
    package static let usualContext = UsualContext.tokens

    /// Creates a configuration.
    package init(
        context: Int? = nil, threads: Int? = nil, sequences: Int = 4, gpuLayers: Int? = nil, projector: URL? = nil,
        locksMemory: Bool = false
    ) {
        self.context = context
        self.threads = threads
        self.sequences = sequences
        self.gpuLayers = gpuLayers
        self.projector = projector
        self.locksMemory = locksMemory
    }
}
