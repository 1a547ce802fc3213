// SPDX-License-Identifier: Apache-2.0

public import ParleyModelFile
import ParleyNetwork
import ParleyRuntime
public import ParleySystem
import ParleyTensor

/// The memory a model needs, from its file's header alone.
public struct MemoryPlan: Sendable, Hashable {
    /// The weights in the kernels' order.
    public let weights: ByteSize
    /// The memory of a step and its threads.
    public let scratch: ByteSize
    /// The memory of the program and of the tokenizer's tables.
    public let program: ByteSize
    /// The longest context the model was trained for, in tokens.
    public let trainedContext: Int

    private let memories: [LayerMemory]

    /// Reads the sizes of a model.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - threads: the threads that share a step; nil takes the processors this process may use.
    /// - Throws: `ModelFileError` or ``/ParleyRuntime/RuntimeError`` where the file does not describe a model that
    ///   the engine runs.
    public init(_ file: GGUFFile, threads: Int? = nil) throws {
        self = try withRuntimeErrors { try MemoryPlan(file, Hyperparameters(file), lanes: threadCount(threads)) }
    }

    init(_ file: GGUFFile, _ hyper: Hyperparameters, lanes: Int) throws {
        weights = try file.tensors.reduce(ByteSize.zero) { sum, tensor in
            let type = try tensor.matrixType
            let isVector = tensor.rows == 1 || tensor.name.hasSuffix("shortconv.conv.weight")
            if isVector { return sum + ByteSize(clamping: tensor.elementCount) * 4 }
            let packed = PackedMatrix.byteCount(type: type, rows: tensor.rows, columns: tensor.columns)
            return sum + ByteSize(clamping: packed ?? tensor.byteRange.count)
        }
        scratch = ByteSize(clamping: StepScratch.byteCount(hyper, lanes: lanes))
        program = Self.program(file)
        trainedContext = hyper.trainedContext
        memories = hyper.memories
    }

    /// What a process takes beside the model, measured: its code and libraries, and for each token and each merge the
    /// tables that look it up, with the pages of the file they were read from.
    private static func program(_ file: GGUFFile) -> ByteSize {
        func entries(_ key: String) -> ByteSize { ByteSize(clamping: file.metadata[key]?.count ?? 0) }
        return 30_000_000 + entries("tokenizer.ggml.tokens") * 100 + entries("tokenizer.ggml.merges") * 115
    }

    /// The memory of one sequence of `context` tokens; the limit for more tokens than any model holds.
    public func cache(context: Int) -> ByteSize {
        guard context <= Self.longestContext else { return .limit }
        let context = max(context, 0)
        return memories.reduce(.zero) { $0 + ByteSize(clamping: $1.byteCount(capacity: context)) }
    }

    /// No model is trained for more; sums for it cannot overflow.
    private static let longestContext = 1 << 24

    /// All together, with one sequence of `context` tokens.
    public func total(context: Int) -> ByteSize {
        weights + cache(context: context) + scratch + program
    }

    /// The longest context, up to `limit`, that fits into `bytes`; nil where not even a short one does.
    public func largestContext(within bytes: Int, limit: Int) -> Int? {
        guard limit > 0 else { return nil }
        var low = 0
        var high = min(limit, Self.longestContext)
        while low < high {
            let middle = high - (high - low) / 2
            if total(context: middle).fits(into: bytes) { low = middle } else { high = middle - 1 }
        }
        return low >= min(Self.smallestContext, limit) ? low : nil
    }

    /// Nothing useful is said in less.
    private static let smallestContext = 128

    /// Chooses the context to load with, or refuses with every term of the sum.
    ///
    /// - Parameters:
    ///   - requested: what the user asked for; nil takes the smallest of the trained length, `usual` and what fits.
    ///   - usual: the bound where nothing was asked for.
    ///   - memory: what this process may take.
    ///   - name: the model's name in messages.
    /// - Returns: the context in tokens.
    /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `insufficientMemory`, or `invalidInput` for a request
    ///   that cannot be met by any memory.
    package func context(requested: Int?, usual: Int, memory: MachineMemory, name: String) throws -> Int {
        let limit = requested ?? min(trainedContext, usual)
        guard limit >= 1, limit <= Self.longestContext else {
            throw RuntimeError(
                .invalidInput, "A context of \(limit) tokens is not possible; choose 1 to \(Self.longestContext).")
        }
        let fitting = largestContext(within: memory.available, limit: limit)
        if let fitting, requested == nil || fitting == limit { return fitting }
        let sum =
            "weights \(mebibytes(weights)) + cache for \(limit) tokens \(mebibytes(cache(context: limit))) + scratch "
            + "\(mebibytes(scratch)) + program \(mebibytes(program)) = "
            + "\(mebibytes(total(context: limit))), but "
            + "\(mebibytes(ByteSize(clamping: memory.available))) are available of "
            + "\(mebibytes(ByteSize(clamping: memory.physical)))"
        let remedy =
            fitting.map { "A context of \($0) tokens would fit (--context \($0))." }
            ?? "Close other programs or choose a smaller model."
        throw RuntimeError(.insufficientMemory, "\(name) does not fit into memory: \(sum). \(remedy)")
    }

    private func mebibytes(_ size: ByteSize) -> String { "\((size.bytes + (1 << 19)) >> 20) MiB" }
}
