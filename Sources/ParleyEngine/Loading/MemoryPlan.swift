// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
import ParleyNetwork
package import ParleyRuntime
package import ParleySystem
import ParleyTensor

/// The memory that a model needs, calculated from the header of its file.
package struct MemoryPlan: Sendable, Hashable {
    /// The weights, in the layout of the kernels.
    package let weights: ByteSize
    /// The memory of the program and of the tokenizer's tables.
    package let program: ByteSize
    /// The longest context the model was trained for, in tokens.
    package let trainedContext: Int

    /// What grows with the context.
    private enum Growth: Hashable {
        /// What the layers of a decoder keep for a sequence, and the scratch memory of its threads, which compute rows
        /// of at most so many columns.
        case layers([LayerMemory], threads: Int, columns: Int)
        /// The scratch memory of an encoder for texts beyond the usual length of a step.
        case positions(bytes: Int, beyond: Int)
    }

    private let growth: Growth
    /// The scratch memory of a step, without that of its threads.
    private let step: ByteSize

    /// Calculates the sizes of a model that loading does not refuse because of its header.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - threads: the number of threads that run a step together; nil for the number of processors this process may
    ///     use.
    ///   - cacheType: how keys and values are stored.
    /// - Throws: `ModelFileError` or ``/ParleyRuntime/RuntimeError`` if the file does not describe a model that the
    ///   engine can run.
    package init(_ file: GGUFFile, threads: Int? = nil, cacheType: CacheType = .f16) throws {
        self = try withRuntimeErrors {
            if try encoders[file.architecture] != nil { return try MemoryPlan(file, CheckedEncoder(file)) }
            return try MemoryPlan(
                file, CheckedHeader(file).hyperparameters, lanes: threadCount(threads), cache: cacheType.format)
        }
    }

    init(_ file: GGUFFile, _ hyper: Hyperparameters, lanes: Int, cache format: CacheFormat) throws {
        weights = try Self.weights(file)
        step = ByteSize(clamping: StepScratch.byteCount(hyper, lanes: lanes))
        program = Self.program(file)
        trainedContext = hyper.trainedContext
        growth = .layers(hyper.memories(format), threads: lanes, columns: StepScratch.widestRow(hyper))
    }

    init(_ file: GGUFFile, _ header: CheckedEncoder) throws {
        let hyper = header.hyperparameters
        weights = try Self.weights(file)
        step = ByteSize(clamping: EncoderScratch.byteCount(hyper, positions: EncoderScratch.usualPositions))
        program = Self.program(file)
        trainedContext = hyper.trainedContext
        growth = .positions(
            bytes: EncoderScratch.byteCount(hyper, positions: EncoderScratch.usualPositions)
                / EncoderScratch.usualPositions + 64, beyond: EncoderScratch.usualPositions)
    }

    /// The weights, as the network loads them: what is only read or added becomes floats, the others are packed.
    private static func weights(_ file: GGUFFile) throws -> ByteSize {
        let floats = ["shortconv.conv.weight", "ssm_conv1d.weight", "position_embd.weight", "token_types.weight"]
        return try file.tensors.reduce(ByteSize.zero) { sum, tensor in
            let type = try tensor.matrixType
            let isFloats = tensor.rows == 1 || floats.contains(where: tensor.name.hasSuffix)
            if isFloats { return sum + ByteSize(clamping: tensor.elementCount) * 4 }
            let packed = PackedMatrix.byteCount(type: type, rows: tensor.rows, columns: tensor.columns)
            return sum + ByteSize(clamping: packed ?? tensor.byteRange.count)
        }
    }

    /// The memory that a process takes apart from the model, as measured: code and libraries, and for each token and
    /// merge the lookup tables and the pages of the file that are read for them.
    private static func program(_ file: GGUFFile) -> ByteSize {
        func entries(_ key: String) -> ByteSize { ByteSize(clamping: file.metadata[key]?.count ?? 0) }
        return 30_000_000 + entries("tokenizer.ggml.tokens") * 100 + entries("tokenizer.ggml.merges") * 115
    }

    /// The memory of one sequence of `context` tokens; the largest size if that exceeds any supported context.
    package func cache(context: Int) -> ByteSize {
        guard context <= ContextBudget.longest else { return .limit }
        let context = max(context, 0)
        switch growth {
        case .layers(let memories, _, _):
            return memories.reduce(.zero) { $0 + ByteSize(clamping: $1.byteCount(capacity: context)) }
        case .positions(let bytes, let usual):
            return ByteSize(clamping: max(EncoderScratch.positions(of: context) - usual, 0)) * bytes
        }
    }

    /// The scratch memory of a step and its threads in a model that was loaded for `context` tokens; the largest size
    /// if that exceeds any supported context. The threads of an encoder do not count: its texts are short.
    package func scratch(context: Int) -> ByteSize {
        guard case .layers(_, let threads, let columns) = growth else { return step }
        guard context <= ContextBudget.longest else { return .limit }
        let own = WorkerPool.byteCount(lanes: threads, positions: max(context, 0), columns: columns)
        return step + ByteSize(clamping: own)
    }

    /// The memory that a token takes in a sequence, in bytes.
    package var cacheBytesPerToken: Int {
        let tokens = 4_096
        return (cache(context: tokens).count + tokens - 1) / tokens
    }

    /// The total memory with one sequence of `context` tokens.
    package func total(context: Int) -> ByteSize { budget.total(context: context) }

    /// The longest context, up to `limit` tokens, that fits into `bytes`; nil if not even a short one does.
    package func largestContext(within bytes: Int, limit: Int) -> Int? {
        budget.largestContext(within: bytes, limit: limit)
    }

    /// The contributions to the memory, with one sequence.
    package var budget: ContextBudget {
        ContextBudget { context in
            [
                .init("weights", weights), .init("cache for \(context) tokens", cache(context: context)),
                .init("scratch", scratch(context: context)), .init("program", program),
            ]
        }
    }

    /// Chooses the context to load with, or throws an error that lists all contributions; see
    /// ``/ParleyRuntime/ContextBudget``.
    package func context(
        requested: Int?, usual: Int, memory: MachineMemory, name: String
    ) throws(RuntimeError) -> Int {
        try budget.context(
            requested: requested, trained: trainedContext, usual: usual, memory: memory, name: name)
    }
}
