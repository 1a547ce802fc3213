// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyModelFile

/// The options for loading a model into llama.cpp.
package struct LlamaCppConfiguration: Sendable, Hashable {
    /// The longest sequence in tokens; nil for the smallest of the trained context, 8,192 and what fits in memory.
    package var context: Int?
    /// The number of threads that run a step together; nil for the number of processors this process may use.
    package var threads: Int?
    /// The number of sequences that share a cache and can run in one batch; their memory is allocated together.
    package var sequences: Int
    /// The number of layers to run on a graphics processor; nil for llama.cpp's default.
    package var gpuLayers: Int?
    /// The file of the projector that lets the model take images; nil for text only.
    package var projector: URL?
    /// Whether the weights are locked in memory; the system may refuse (see RLIMIT_MEMLOCK in getrlimit(2)).
    package var locksMemory: Bool

    /// The maximum context that is chosen without a request, in tokens.
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
