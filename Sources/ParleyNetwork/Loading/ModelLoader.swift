// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
import ParleySystem
package import ParleyTensor

/// Reads the weights of a network, one tensor at a time: each is packed into the kernels' order and its pages in the
/// file are given back at once, so that memory never holds the model twice.
package final class ModelLoader {
    package let file: GGUFFile
    package let hyperparameters: Hyperparameters
    /// The context the model is loaded for; long-context scaling depends on it.
    package let context: Int

    private let pool: WorkerPool
    private let isCancelled: () -> Bool
    private let locksMemory: Bool
    private let progress: (Int) -> Void
    private var bytesRead = ByteSize.zero

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - hyperparameters: the sizes of its network.
    ///   - context: the tokens that the model is loaded for.
    ///   - pool: the threads that pack the weights.
    ///   - locksMemory: whether the weights are never to be swapped out.
    ///   - isCancelled: asked before each tensor.
    ///   - progress: told after each tensor how many bytes of the file have been read.
    package init(
        file: GGUFFile, hyperparameters: Hyperparameters, context: Int, pool: WorkerPool, locksMemory: Bool,
        isCancelled: @escaping () -> Bool, progress: @escaping (Int) -> Void
    ) {
        self.file = file
        self.hyperparameters = hyperparameters
        self.context = context
        self.pool = pool
        self.locksMemory = locksMemory
        self.isCancelled = isCancelled
        self.progress = progress
    }

    /// A matrix of `rows` outputs and `columns` inputs.
    package func matrix(_ name: String, rows: Int, columns: Int) throws -> PackedMatrix {
        try matrix(name, rows: 0..<rows, of: rows, columns: columns)
    }

    /// Some rows of a matrix, for projections that share one tensor.
    package func matrix(_ name: String, rows: Range<Int>, of total: Int, columns: Int) throws -> PackedMatrix {
        let tensor = try checked(name, rows: total, columns: columns)
        return try packed(tensor, rows: rows)
    }

    /// A vector as floats.
    package func vector(_ name: String, count: Int) throws -> AlignedBuffer {
        let tensor = try file.tensor(name)
        guard tensor.elementCount == count else { throw wrongShape(tensor, "\(count) values") }
        let type = try tensor.matrixType
        return try read(tensor) {
            try AlignedBuffer(floatsOf: type, count: count, source: $0, pool: pool, isLocked: locksMemory)
        }
    }

    /// A vector that some models of the architecture lack.
    package func vector(ifPresent name: String, count: Int) throws -> AlignedBuffer? {
        file.tensor(ifPresent: name) == nil ? nil : try vector(name, count: count)
    }

    private func packed(_ tensor: TensorDescriptor, rows: Range<Int>) throws -> PackedMatrix {
        let type = try tensor.matrixType
        let rowBytes = tensor.byteRange.count / tensor.rows
        let start = rows.lowerBound * rowBytes
        return try read(tensor) { bytes in
            try PackedMatrix(
                type: type, rows: rows.count, columns: tensor.columns,
                source: UnsafeRawBufferPointer(rebasing: bytes[start..<rows.upperBound * rowBytes]), pool: pool,
                isLocked: locksMemory,
                finishedReading: { file.releasePages(of: tensor, bytes: start + $0.lowerBound..<start + $0.upperBound) }
            )
        }
    }

    private func checked(_ name: String, rows: Int, columns: Int) throws -> TensorDescriptor {
        let tensor = try file.tensor(name)
        guard tensor.columns == columns, tensor.rows == rows else { throw wrongShape(tensor, "\(columns) × \(rows)") }
        return tensor
    }

    private func read<Value>(
        _ tensor: TensorDescriptor, _ body: (UnsafeRawBufferPointer) throws -> Value?
    ) throws -> Value {
        if isCancelled() { throw CancellationError() }
        guard let value = try file.withBytes(of: tensor, body) else {
            throw NetworkError(
                .unsupported,
                "\(file.name): the tensor \(tensor.name) (\(tensor.typeName)) has a shape no kernel reads.")
        }
        file.releasePages(of: tensor)
        // Some tensors are read twice, such as an embedding that is the head too.
        bytesRead = min(bytesRead + ByteSize(clamping: tensor.byteRange.count), ByteSize(clamping: file.byteCount))
        progress(bytesRead.count)
        return value
    }

    private func wrongShape(_ tensor: TensorDescriptor, _ expected: String) -> NetworkError {
        NetworkError(
            .invalidFile,
            "\(file.name): the tensor \(tensor.name) is \(tensor.dimensions.map(String.init).joined(separator: " × ")), "
                + "not \(expected) as the metadata says. The file is damaged; download it again.")
    }
}
