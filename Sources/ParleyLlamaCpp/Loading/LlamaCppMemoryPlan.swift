// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
package import ParleyRuntime

/// The memory a model takes in llama.cpp, estimated from its file's header alone.
package struct LlamaCppMemoryPlan: Sendable, Hashable {
    /// The file, which is mapped or copied.
    package let weights: Int
    /// The memory of a step.
    package let scratch: Int
    /// The longest context the model was trained for, in tokens.
    package let trainedContext: Int
    /// The keys and values of one position.
    package let bytesPerToken: Int

    /// Reads the sizes of a model.
    package init(_ file: GGUFFile) throws {
        let architecture = try file.architecture
        func number(_ key: String, most: Int) -> Int? {
            let value = file.metadata["\(architecture).\(key)"]
            return (value?.unsigned ?? value?.integers?.max()).map { min(max($0, 0), most) }
        }
        let layers = number("block_count", most: 1 << 16) ?? 0
        let width = number("embedding_length", most: 1 << 24) ?? 0
        let heads = max(number("attention.head_count", most: 1 << 16) ?? 1, 1)
        let keyValueHeads = number("attention.head_count_kv", most: 1 << 16) ?? heads
        let keyLength = number("attention.key_length", most: 1 << 16) ?? width / heads
        let valueLength = number("attention.value_length", most: 1 << 16) ?? width / heads
        weights = file.byteCount
        bytesPerToken = layers.timesSize(keyValueHeads).timesSize(keyLength + valueLength).timesSize(2)
        trainedContext = number("context_length", most: 1 << 24) ?? 0
        let vocabulary = min(file.metadata["tokenizer.ggml.tokens"]?.count ?? 0, 1 << 24)
        scratch = 256 * 4 * (vocabulary + 8 * width)
    }

    /// The memory of the caches of so many sequences of `context` tokens; the largest number where it cannot be counted.
    package func cache(context: Int, sequences: Int) -> Int {
        bytesPerToken.timesSize(Self.length(of: context).timesSize(max(sequences, 0)))
    }

    /// llama.cpp keeps positions in whole blocks.
    package static func length(of context: Int) -> Int {
        max(context, 0).addingSize(block - 1) / block * block
    }

    /// All together.
    package func total(context: Int, sequences: Int) -> Int {
        weights.addingSize(cache(context: context, sequences: sequences)).addingSize(scratch)
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
        where total(context: limit, sequences: sequences) <= memory.available {
            return (limit, sequences)
        }
        let room = max(memory.available - weights.addingSize(scratch), 0)
        let fitting = bytesPerToken > 0 ? min(room / bytesPerToken / Self.block * Self.block, limit) : 0
        if configuration.context == nil, fitting > 0 { return (fitting, 1) }
        let sum =
            "weights \(mebibytes(weights)) + cache for \(limit) tokens "
            + "\(mebibytes(cache(context: limit, sequences: 1))) + scratch \(mebibytes(scratch)) = "
            + "\(mebibytes(total(context: limit, sequences: 1))), but \(mebibytes(memory.available)) are available of "
            + "\(mebibytes(memory.physical))"
        let remedy =
            fitting > 0
            ? "A context of \(fitting) tokens would fit (--context \(fitting))."
            : "Close other programs or choose a smaller model."
        throw RuntimeError(.insufficientMemory, "\(name) does not fit into memory: \(sum). \(remedy)")
    }

    private static let block = 256

    private func mebibytes(_ bytes: Int) -> String { "\(bytes.addingSize(1 << 19) >> 20) MiB" }
}
