// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
package import ParleyRuntime
package import ParleySystem

/// The memory that a model takes in llama.cpp, estimated from the header of its file.
package struct LlamaCppMemoryPlan: Sendable, Hashable {
    /// The size of the file, whether mapped or copied.
    package let weights: ByteSize
    /// The size of the projector's file; zero without one.
    package let projector: ByteSize
    /// The scratch memory of a step's logits, which the rows of an image do not have.
    package let logits: ByteSize
    /// The scratch memory of what a step computes before its logits.
    package let activations: ByteSize
    /// The longest context the model was trained for, in tokens.
    package let trainedContext: Int
    /// The size of the keys and values of one position in all layers.
    package let bytesPerToken: ByteSize
    /// The most rows of a batch: with a projector more, because some models attend to an image in both directions, and
    /// therefore need the whole image in one batch.
    package let rows: Int

    /// Estimates the sizes of a model.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - projector: the file of the projector that lets it take images; nil for text only.
    /// - Throws: `ModelFileError` if the file does not state its architecture.
    package init(_ file: GGUFFile, projector: GGUFFile? = nil) throws {
        let architecture = try file.architecture
        func number(_ key: String, most: Int) -> Int? {
            let value = file.metadata["\(architecture).\(key)"]
            // The count is compared first, because an array of another length may be as long as the file.
            let listed = (value?.count ?? 0) <= Self.mostLayers ? value?.integers?.max() : nil
            return (value?.unsigned ?? listed).map { min(max($0, 0), most) }
        }
        let layers = number("block_count", most: Self.mostLayers) ?? 0
        let width = number("embedding_length", most: 1 << 24) ?? 0
        let heads = max(number("attention.head_count", most: 1 << 16) ?? 1, 1)
        let keyValueHeads = number("attention.head_count_kv", most: 1 << 16) ?? heads
        let keyLength = number("attention.key_length", most: 1 << 16) ?? width / heads
        let valueLength = number("attention.value_length", most: 1 << 16) ?? width / heads
        weights = ByteSize(clamping: file.byteCount)
        self.projector = ByteSize(clamping: projector?.byteCount ?? 0)
        rows = projector == nil ? Self.textRows : 2_048
        bytesPerToken = ByteSize(clamping: layers) * keyValueHeads * (keyLength + valueLength) * 2
        trainedContext = number("context_length", most: 1 << 24) ?? 0
        let vocabulary = ByteSize(clamping: file.metadata["tokenizer.ggml.tokens"]?.count ?? 0)
        logits = vocabulary * Self.textRows * 4
        activations = ByteSize(clamping: width) * 8 * rows * 4
    }

    /// The scratch memory of a step.
    package var scratch: ByteSize { logits + activations }

    /// The memory of the caches of a number of sequences of `context` tokens, limited to the largest representable
    /// size.
    package func cache(context: Int, sequences: Int) -> ByteSize {
        bytesPerToken * Self.length(of: context) * sequences
    }

    /// The context rounded up to whole blocks, in which llama.cpp allocates positions.
    package static func length(of context: Int) -> Int {
        (ByteSize(clamping: context) + ByteSize(clamping: block - 1)).count / block * block
    }

    /// The contributions to the memory with a number of sequences.
    package func budget(sequences: Int) -> ContextBudget {
        ContextBudget { context in
            var terms = [ContextBudget.Term("weights", weights)]
            if projector > .zero { terms.append(.init("projector", projector)) }
            terms.append(.init("cache for \(context) tokens", cache(context: context, sequences: sequences)))
            terms.append(.init("scratch", scratch))
            return terms
        }
    }

    /// The total memory.
    package func total(context: Int, sequences: Int) -> ByteSize {
        budget(sequences: sequences).total(context: context)
    }

    /// Chooses the context and number of sequences to load with, or throws an error that lists all contributions.
    ///
    /// If memory is short, the number of sequences is reduced before the context, and the context only if none was
    /// requested.
    ///
    /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `insufficientMemory`, or `invalidInput` for a request that
    ///   no amount of memory could meet.
    package func choose(
        _ configuration: LlamaCppConfiguration, memory: MachineMemory, name: String
    ) throws(RuntimeError) -> (context: Int, sequences: Int) {
        guard (1...64).contains(configuration.sequences) else {
            throw RuntimeError(
                .invalidInput, "\(configuration.sequences) sequences are not possible; choose 1 to 64.")
        }
        let context = try budget(sequences: 1).context(
            requested: configuration.context, trained: trainedContext, usual: LlamaCppConfiguration.usualContext,
            memory: memory, name: name)
        let sequences = (1...configuration.sequences).last {
            total(context: context, sequences: $0).fits(into: memory.available)
        }
        return (context, sequences ?? 1)
    }

    /// The most rows of a batch of tokens.
    static let textRows = 256
    private static let block = 256
    private static let mostLayers = 1 << 16
}
