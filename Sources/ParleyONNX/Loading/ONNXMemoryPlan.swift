// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import ParleyModelFile
    package import ParleyRuntime
    package import ParleySystem

    /// The memory that a model takes in ONNX Runtime, estimated from its description.
    package struct ONNXMemoryPlan: Sendable, Hashable {
        /// The size of the network's files, which the runtime copies.
        package let weights: ByteSize
        /// The logits and activations of a step.
        package let scratch: ByteSize
        /// The keys and values of one position in all layers, as 32-bit floats.
        package let bytesPerToken: ByteSize

        init(_ folder: ONNXFolder) {
            weights = ByteSize(clamping: folder.byteCount)
            // The logits, and their copy when they are read.
            scratch = ByteSize(clamping: folder.vocabularySize) * ONNXEngine.rows * 4 * 2
            bytesPerToken = ByteSize(clamping: folder.valuesPerToken) * 4
        }

        /// The memory of the cache of a sequence of `context` tokens; the runtime allocates it at once.
        package func cache(context: Int) -> ByteSize { bytesPerToken * context }

        /// The total memory with one sequence.
        package func total(context: Int) -> ByteSize { budget.total(context: context) }

        /// The contributions to the memory.
        var budget: ContextBudget {
            ContextBudget { context in
                [
                    .init("weights", weights),
                    .init("cache for \(context) tokens", cache(context: context)),
                    .init("scratch", scratch),
                ]
            }
        }
    }
#endif
