// SPDX-License-Identifier: Apache-2.0

import ParleySpeech
package import ParleySystem
import ParleyTensor

/// The memory that a speech model needs, calculated from the header of its file.
package struct WhisperMemoryPlan: Sendable, Hashable {
    /// The weights, in the layout of the kernels.
    package let weights: ByteSize
    /// The scratch memory of a window and its threads, or what loading takes for a moment if that is more.
    package let scratch: ByteSize
    /// The memory of the program and of the tokens.
    package let program: ByteSize

    /// The contributions.
    package var sum: MemorySum {
        MemorySum([.init("weights", weights), .init("scratch", scratch), .init("program", program)])
    }

    /// Calculates the sizes.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - isExact: whether floats are kept as they are, and not quantised to 8 bits.
    ///   - lanes: the number of threads that compute together.
    package init(_ file: WhisperFile, isExact: Bool, lanes: Int) {
        var weights = ByteSize.zero
        var largest = ByteSize.zero
        for (name, tensor) in file.tensors {
            let (kept, passing) = Self.size(of: tensor, name, isExact: isExact)
            weights += kept
            largest = max(largest, passing)
        }
        self.weights = weights
        let dimensions = file.dimensions
        let parts = [
            ScratchMemory.byteCount(dimensions, lanes: lanes),
            EncoderMemory.byteCount(dimensions, isExact: isExact, lanes: lanes),
            DecoderMemory.byteCount(dimensions, isExact: isExact), MelSpectrum.byteCount(bands: dimensions.mels),
        ]
        scratch = max(parts.reduce(ByteSize.zero) { $0 + ByteSize(clamping: $1) }, largest)
        // Code and libraries as measured, and the tables of tokens.
        program = 30_000_000 + ByteSize(clamping: file.pieces.count) * 100
    }

    /// Promises the memory to a model, if there is enough.
    ///
    /// - Parameters:
    ///   - ledger: what has been promised in this process.
    ///   - name: the model's name, for messages.
    /// - Returns: the reservations for the weights and the program, and for the scratch memory.
    /// - Throws: `SpeechError` with code `insufficientMemory`, which names every contribution.
    func reserve(
        in ledger: MemoryLedger, name: String
    ) throws -> (weights: MemoryReservation, scratch: MemoryReservation) {
        let (_, reservations) = try ledger.reserve { memory in
            guard sum.total.fits(into: memory.available) else {
                let remedy = "Close other programs or choose a smaller model."
                throw SpeechError(
                    .insufficientMemory, sum.refusal(of: name, memory: memory, remedy: remedy))
            }
            return ((), bytes: [(weights + program).count, scratch.count])
        }
        return (reservations[0], reservations[1])
    }

    /// What a tensor takes once it is loaded, and what it takes meanwhile, as ``WeightLoader`` does it.
    private static func size(
        of tensor: WhisperTensor, _ name: String, isExact: Bool
    ) -> (kept: ByteSize, passing: ByteSize) {
        let count = ByteSize(clamping: tensor.count)
        let isOnlyRead = tensor.columns == 1 || name.hasSuffix("positional_embedding")
        if isOnlyRead { return (count * 4, .zero) }
        let isConvolution = name.hasPrefix("encoder.conv")
        var type = MatrixType.f32
        if case .plain(let stored) = tensor.encoding, !isConvolution { type = stored }
        let isFloats = [.f32, .f16, .bf16].contains(type)
        let staysExact = isExact || name == "encoder.conv1.weight"
        let packed = PackedMatrix.byteCount(
            type: isFloats && !staysExact ? WeightLoader.quantization(of: name).type : type, rows: tensor.shape[0],
            columns: tensor.columns)
        let kept = ByteSize(clamping: packed ?? tensor.bytes.count)
        // Floats where the file has none in the order that is needed.
        let isMade = if case .scaledBytes = tensor.encoding { true } else { isConvolution }
        return (kept, isMade ? count * (isConvolution ? 8 : 4) : .zero)
    }
}
