// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleySpeech
import ParleyTensor

/// Loads the weights of a model, one tensor at a time.
struct WeightLoader {
    let file: WhisperFile
    let pool: WorkerPool
    let isExact: Bool
    private let isCancelled: () -> Bool

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - pool: the threads that pack the weights.
    ///   - isExact: whether floats are kept as they are, and not quantised to 8 bits.
    ///   - isCancelled: called before each tensor; if it returns true, loading throws `CancellationError`.
    init(_ file: WhisperFile, pool: WorkerPool, isExact: Bool, isCancelled: @escaping () -> Bool) {
        (self.file, self.pool, self.isExact, self.isCancelled) = (file, pool, isExact, isCancelled)
    }

    /// How the floats of a matrix are quantised. All positions of the sound are multiplied with those of the encoder, and
    /// with those that make the keys and values of the decoder's view; with the others a token is, or some.
    static func quantization(of name: String) -> PackedMatrix.Quantization {
        let isOfSound = ["cross_attn.key.weight", "cross_attn.value.weight"].contains(where: name.hasSuffix)
        return isOfSound || name.hasPrefix("encoder.") ? .groups : .blocks
    }

    /// Loads a matrix of `rows` outputs and `columns` inputs.
    func matrix(_ name: String, rows: Int, columns: Int) throws -> PackedMatrix {
        let tensor = try tensor(name, count: rows * columns, columns: columns)
        guard case .plain(let type) = tensor.encoding, isExact || ![.f32, .f16, .bf16].contains(type) else {
            return try packed(tensor, rows: rows, columns: columns, name)
        }
        return try reading(tensor, name) {
            try PackedMatrix(
                type: type, rows: rows, columns: columns, source: $0, pool: pool, finishedReading: release(tensor))
        }
    }

    /// Loads a vector, or a matrix whose rows are only read, as floats.
    func floats(_ name: String, count: Int) throws -> AlignedBuffer {
        let tensor = try tensor(name, count: count, columns: nil)
        switch tensor.encoding {
        case .plain(let type):
            return try reading(tensor, name) {
                try AlignedBuffer(floatsOf: type, count: count, source: $0, pool: pool)
            }
        case .scaledBytes: return try scaled(tensor)
        }
    }

    /// Loads the weights of a convolution over three frames, `[outputs, inputs, 3]` in the file, as the matrix of its
    /// product with the frames one after the other, `[outputs, 3 · inputs]`.
    ///
    /// - Parameters:
    ///   - name: the tensor's name.
    ///   - outputs: the number of values of a frame of the result.
    ///   - inputs: the number of values of a frame.
    ///   - isExact: whether the product is in floats even if other weights are quantised.
    /// - Returns: the matrix.
    /// - Throws: `SpeechError`; `AllocationError`; `CancellationError`.
    func convolution(_ name: String, outputs: Int, inputs: Int, isExact: Bool) throws -> PackedMatrix {
        let source = try floats(name, count: outputs * inputs * 3)
        let target = try AlignedBuffer(byteCount: outputs * inputs * 3 * MemoryLayout<Float>.stride)
        withExtendedLifetime((source, target)) {
            for output in 0..<outputs {
                let (from, to) = (source.floats + output * inputs * 3, target.floats + output * inputs * 3)
                for input in 0..<inputs {
                    for tap in 0..<3 { to[tap * inputs + input] = from[input * 3 + tap] }
                }
            }
        }
        return try pack(target, rows: outputs, columns: inputs * 3, isExact: isExact || self.isExact, name)
    }

    /// Packs a matrix of floats, quantised unless it is to be exact.
    func pack(
        _ floats: AlignedBuffer, rows: Int, columns: Int, isExact: Bool, _ name: String
    ) throws -> PackedMatrix {
        let bytes = UnsafeRawBufferPointer(start: floats.pointer, count: rows * columns * MemoryLayout<Float>.stride)
        let matrix =
            try isExact
            ? PackedMatrix(type: .f32, rows: rows, columns: columns, source: bytes, pool: pool)
            : PackedMatrix(
                quantizing: .f32, rows: rows, columns: columns, source: bytes, as: Self.quantization(of: name),
                pool: pool)
        guard let matrix else { throw unreadable(name) }
        return matrix
    }

    private func packed(_ tensor: WhisperTensor, rows: Int, columns: Int, _ name: String) throws -> PackedMatrix {
        guard case .plain(let type) = tensor.encoding else {
            return try pack(scaled(tensor), rows: rows, columns: columns, isExact: isExact, name)
        }
        return try reading(tensor, name) {
            try PackedMatrix(
                quantizing: type, rows: rows, columns: columns, source: $0, as: Self.quantization(of: name), pool: pool,
                finishedReading: release(tensor))
        }
    }

    /// What gives back the pages of a tensor's bytes once they are read.
    private func release(_ tensor: WhisperTensor) -> (Range<Int>) -> Void {
        let (part, first) = (file.parts[tensor.part], tensor.bytes.lowerBound)
        return { part.releasePages(first + $0.lowerBound..<first + $0.upperBound) }
    }

    /// Bytes with a factor for each row, as floats.
    private func scaled(_ tensor: WhisperTensor) throws -> AlignedBuffer {
        guard case .scaledBytes(let factors) = tensor.encoding, factors.count == (tensor.shape.first ?? 0) * 4 else {
            throw unreadable("a tensor of integers")
        }
        let target = try AlignedBuffer(byteCount: tensor.count * MemoryLayout<Float>.stride)
        let columns = tensor.columns
        let part = file.parts[tensor.part]
        part.withUnsafeBytes { buffer in
            let values = UnsafeRawBufferPointer(rebasing: buffer[tensor.bytes])
            for row in 0..<tensor.shape[0] {
                let pattern = buffer.loadUnaligned(fromByteOffset: factors.lowerBound + row * 4, as: UInt32.self)
                let factor = Float(bitPattern: UInt32(littleEndian: pattern))
                for column in row * columns..<(row + 1) * columns {
                    target.floats[column] = Float(Int8(bitPattern: values[column])) / factor
                }
            }
        }
        part.releasePages(tensor.bytes)
        return target
    }

    private func tensor(_ name: String, count: Int, columns: Int?) throws -> WhisperTensor {
        if isCancelled() { throw CancellationError() }
        guard let tensor = file.tensors[name] else {
            throw SpeechError.damaged(file.name, "the tensor \(name) is missing")
        }
        // whisper.cpp writes some vectors as matrices of one column.
        guard tensor.count == count, columns.map({ tensor.columns == $0 }) ?? true else {
            throw SpeechError.damaged(
                file.name, "the tensor \(name) is \(tensor.shape.map(String.init).joined(separator: " × "))")
        }
        return tensor
    }

    private func reading<Value>(
        _ tensor: WhisperTensor, _ name: String, _ body: (UnsafeRawBufferPointer) throws -> Value?
    ) throws -> Value {
        let part = file.parts[tensor.part]
        let value = try part.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[tensor.bytes])) }
        part.releasePages(tensor.bytes)
        guard let value else { throw unreadable(name) }
        return value
    }

    private func unreadable(_ name: String) -> SpeechError {
        SpeechError(.unsupportedModel, "\(file.name): the tensor \(name) has a form that no kernel reads.")
    }
}
