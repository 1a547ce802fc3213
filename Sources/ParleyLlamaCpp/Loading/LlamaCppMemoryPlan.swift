// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import ParleyModelFile
    import ParleyRuntime

    /// The memory a model takes in llama.cpp, estimated from its file's header alone.
    struct LlamaCppMemoryPlan: Sendable, Hashable {
        /// The file, which is mapped or copied.
        let weights: Int
        /// The memory of a step.
        let scratch: Int
        /// The longest context the model was trained for, in tokens.
        let trainedContext: Int
        /// The keys and values of one position.
        let bytesPerToken: Int

        init(_ file: GGUFFile) throws {
            let architecture = try file.architecture
            func number(_ key: String) -> Int? {
                file.metadata["\(architecture).\(key)"]?.unsigned.map { min($0, 1 << 24) }
            }
            let layers = min(number("block_count") ?? 0, 1 << 16)
            let width = number("embedding_length") ?? 0
            let heads = max(number("attention.head_count") ?? 1, 1)
            let keyValueHeads = min(number("attention.head_count_kv") ?? heads, 1 << 16)
            let keyLength = min(number("attention.key_length") ?? width / heads, 1 << 16)
            let valueLength = min(number("attention.value_length") ?? width / heads, 1 << 16)
            weights = file.byteCount
            // 2^16 · 2^16 · 2^18 fits.
            bytesPerToken = layers * keyValueHeads * (keyLength + valueLength) * 2
            trainedContext = number("context_length") ?? 0
            let vocabulary = min(file.metadata["tokenizer.ggml.tokens"]?.count ?? 0, 1 << 24)
            scratch = 256 * 4 * (vocabulary + 8 * width)
        }

        /// The memory of the caches of so many sequences of `context` tokens.
        func cache(context: Int, sequences: Int) -> Int {
            bytesPerToken.multipliedReportingOverflow(by: context * sequences).partialValue
        }

        /// Chooses context and sequences to load with, or refuses with every term of the sum: fewer sequences rather
        /// than a shorter context, and a shorter context only where none was asked for.
        func choose(
            _ configuration: LlamaCppConfiguration, memory: MachineMemory, name: String
        ) throws -> (context: Int, sequences: Int) {
            let usual = LlamaCppConfiguration.usualContext
            let limit = configuration.context ?? (trainedContext > 0 ? min(trainedContext, usual) : usual)
            guard (1...1 << 24).contains(limit), (1...64).contains(configuration.sequences) else {
                throw RuntimeError(
                    .invalidInput,
                    "\(configuration.sequences) sequences of \(limit) tokens are not possible; choose 1 to 64 of 1 to "
                        + "\(1 << 24).")
            }
            let room = memory.available - weights - scratch
            for sequences in (1...configuration.sequences).reversed()
            where cache(context: limit, sequences: sequences) <= room {
                return (limit, sequences)
            }
            let fitting = bytesPerToken > 0 ? max(room, 0) / bytesPerToken : 0
            if configuration.context == nil, fitting >= Self.smallestContext { return (fitting, 1) }
            let needed = cache(context: limit, sequences: 1)
            let sum =
                "weights \(mebibytes(weights)) + cache for \(limit) tokens \(mebibytes(needed)) + scratch "
                + "\(mebibytes(scratch)) = \(mebibytes(weights + needed + scratch)), but \(mebibytes(memory.available)) "
                + "are available of \(mebibytes(memory.physical))"
            let remedy =
                fitting >= Self.smallestContext
                ? "A context of \(fitting) tokens would fit (--context \(fitting))."
                : "Close other programs or choose a smaller model."
            throw RuntimeError(.insufficientMemory, "\(name) does not fit into memory: \(sum). \(remedy)")
        }

        /// Nothing useful is said in less.
        private static let smallestContext = 128

        private func mebibytes(_ bytes: Int) -> String { "\((bytes + (1 << 19)) >> 20) MiB" }
    }
#endif
