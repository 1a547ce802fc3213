// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
package import ParleyRuntime
package import ParleySystem

/// The memory a model takes in llama.cpp, estimated from its file's header alone.
package struct LlamaCppMemoryPlan: Sendable, Hashable {
    /// The file, which is mapped or copied.
    package let weights: ByteSize
    /// The memory of a step.
    package let scratch: ByteSize
    /// The longest context the model was trained for, in tokens.
    package let trainedContext: Int
    /// The keys and values of one position.
    package let bytesPerToken: ByteSize

    /// Reads the sizes of a model.
    ///
    /// - Throws: `ModelFileError` where the file does not name its architecture.
    package init(_ file: GGUFFile) throws {
        let architecture = try file.architecture
        func number(_ key: String, most: Int) -> Int? {
            let value = file.metadata["\(architecture).\(key)"]
            // Compared first: an array of another length may be as long as the file.
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
        bytesPerToken = ByteSize(clamping: layers) * keyValueHeads * (keyLength + valueLength) * 2
        trainedContext = number("context_length", most: 1 << 24) ?? 0
        let vocabulary = ByteSize(clamping: file.metadata["tokenizer.ggml.tokens"]?.count ?? 0)
        scratch = (vocabulary + ByteSize(clamping: width) * 8) * 256 * 4
    }

    /// The memory of the caches of so many sequences of `context` tokens; the limit where it overflows.
    package func cache(context: Int, sequences: Int) -> ByteSize {
        bytesPerToken * Self.length(of: context) * sequences
    }

    /// llama.cpp keeps positions in whole blocks.
    package static func length(of context: Int) -> Int {
        (ByteSize(clamping: context) + ByteSize(clamping: block - 1)).count / block * block
    }

    /// All together.
    package func total(context: Int, sequences: Int) -> ByteSize {
        weights + cache(context: context, sequences: sequences) + scratch
    }

    /// Chooses context and sequences to load with, or refuses with every term of the sum: fewer sequences rather
    /// than a shorter context, and a shorter context only where none was asked for.
    ///
    /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `insufficientMemory`, or `invalidInput` for a request that
    ///   cannot be met by any memory.
    package func choose(
        _ configuration: LlamaCppConfiguration, memory: MachineMemory, name: String
    ) throws(RuntimeError) -> (context: Int, sequences: Int) {
        let usual = LlamaCppConfiguration.usualContext
        let limit = configuration.context ?? (trainedContext > 0 ? min(trainedContext, usual) : usual)
        guard (1...1 << 24).contains(limit), (1...64).contains(configuration.sequences) else {
            throw RuntimeError(
                .invalidInput,
                "\(configuration.sequences) sequences of \(limit) tokens are not possible; choose 1 to 64 of 1 to "
                    + "\(1 << 24).")
        }
        for sequences in (1...configuration.sequences).reversed()
        where total(context: limit, sequences: sequences).fits(into: memory.available) {
            return (limit, sequences)
        }
        let room = ByteSize(clamping: memory.available) - weights - scratch
        let fitting =
            bytesPerToken > .zero ? min(room.count / bytesPerToken.count / Self.block * Self.block, limit) : 0
        if configuration.context == nil, fitting > 0 { return (fitting, 1) }
        let sum =
            "weights \(mebibytes(weights)) + cache for \(limit) tokens "
            + "\(mebibytes(cache(context: limit, sequences: 1))) + scratch \(mebibytes(scratch)) = "
            + "\(mebibytes(total(context: limit, sequences: 1))), but "
            + "\(mebibytes(ByteSize(clamping: memory.available))) are available of "
            + "\(mebibytes(ByteSize(clamping: memory.physical)))"
        let remedy =
            fitting > 0
            ? "A context of \(fitting) tokens would fit (--context \(fitting))."
            : "Close other programs or choose a smaller model."
        throw RuntimeError(.insufficientMemory, "\(name) does not fit into memory: \(sum). \(remedy)")
    }

    private static let block = 256
    private static let mostLayers = 1 << 16

    private func mebibytes(_ size: ByteSize) -> String { "\((size.bytes + (1 << 19)) >> 20) MiB" }
}
