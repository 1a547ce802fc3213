// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
import ParleySystem
package import ParleyTensor

/// Loads the weights of a network, one tensor at a time.
///
/// Each tensor is packed into the order that the kernels use, and its pages of the mapped file are released at once, so
/// that memory never holds the model twice.
package final class ModelLoader {
    package let file: GGUFFile
    package let hyperparameters: Hyperparameters
    /// The context length in tokens for which the model is loaded; it affects the scaling for long contexts.
    package let context: Int

    /// The threads that pack the weights; nil where only the header is checked.
    private let pool: WorkerPool?
    private let isCancelled: () -> Bool
    private let locksMemory: Bool
    private let progress: (Int) -> Void
    private var bytesRead = ByteSize.zero

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - hyperparameters: the sizes of its network.
    ///   - context: the context length in tokens for which the model is loaded.
    ///   - pool: the threads that pack the weights.
    ///   - locksMemory: whether the weights must never be swapped out.
    ///   - isCancelled: called before each tensor; if it returns true, loading throws `CancellationError`.
    ///   - progress: called after each tensor with the number of bytes of the file read so far.
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

    /// Creates a loader that only checks, by the header alone, whether a network's tensors exist in shapes and types that
    /// the kernels read. Its weights are empty: a network made of them must not run.
    package init(checking file: GGUFFile, hyperparameters: Hyperparameters) {
        self.file = file
        self.hyperparameters = hyperparameters
        context = hyperparameters.trainedContext
        pool = nil
        locksMemory = false
        isCancelled = { false }
        progress = { _ in }
    }

    /// Whether tensors are read, and not only looked up in the header.
    var readsTensors: Bool { pool != nil }

    /// Loads a matrix of `rows` outputs and `columns` inputs.
    package func matrix(_ name: String, rows: Int, columns: Int) throws -> PackedMatrix {
        try matrix(name, rows: 0..<rows, of: rows, columns: columns)
    }

    /// Loads some rows of a matrix, for projections that are stored in one tensor of `total` rows.
    package func matrix(_ name: String, rows: Range<Int>, of total: Int, columns: Int) throws -> PackedMatrix {
        let tensor = try checked(name, rows: total, columns: columns)
        return try packed(tensor, rows: rows)
    }

    /// Loads some rows of each of `count` matrices of `total` rows that one tensor has, for experts whose projections are
    /// stored together.
    package func matrices(
        _ name: String, count: Int, rows: Range<Int>, of total: Int, columns: Int
    ) throws -> PackedMatrix {
        let tensor = try checked(name, rows: count * total, columns: columns)
        return try packed(tensor, rows: rows, of: (count, total))
    }

    /// Loads a number that some models of an architecture lack; nil if the file does not have it.
    package func number(ifPresent name: String) throws -> Float? {
        guard let vector = try vector(ifPresent: name, count: 1) else { return nil }
        return readsTensors ? vector.floats[0] : 1
    }

    /// Loads a vector of `count` values as floats, and multiplies them by a factor.
    package func vector(_ name: String, count: Int, times factor: Float) throws -> AlignedBuffer {
        let vector = try vector(name, count: count)
        if readsTensors { for index in 0..<count { vector.floats[index] *= factor } }
        return vector
    }

    /// Loads a vector of `count` values as floats.
    package func vector(_ name: String, count: Int) throws -> AlignedBuffer {
        let tensor = try file.tensor(name)
        guard tensor.elementCount == count else { throw wrongShape(tensor, "\(count) values") }
        let type = try tensor.matrixType
        guard let pool else {
            if PackedMatrix.byteCount(type: type, rows: 1, columns: count) == nil { throw unreadable(tensor) }
            return try AlignedBuffer(byteCount: 0)
        }
        return try read(tensor) {
            try AlignedBuffer(floatsOf: type, count: count, source: $0, pool: pool, isLocked: locksMemory)
        }
    }

    /// Loads a matrix of `rows` rows as floats, to read its rows and not to multiply with it.
    package func floats(_ name: String, rows: Int, columns: Int) throws -> AlignedBuffer {
        let matrix = try matrix(name, rows: rows, columns: columns)
        return try readsTensors ? matrix.floats(isLocked: locksMemory) : AlignedBuffer(byteCount: 0)
    }

    /// Loads a vector that some models of an architecture lack; nil if the file does not have it.
    package func vector(ifPresent name: String, count: Int) throws -> AlignedBuffer? {
        file.tensor(ifPresent: name) == nil ? nil : try vector(name, count: count)
    }

    /// Packs some rows of a tensor, or, where it consists of groups, those rows of each group.
    private func packed(
        _ tensor: TensorDescriptor, rows: Range<Int>, of groups: (count: Int, distance: Int)? = nil
    ) throws -> PackedMatrix {
        let type = try tensor.matrixType
        let count = rows.count * (groups?.count ?? 1)
        guard let pool else {
            if let matrix = PackedMatrix(emptyOf: type, rows: count, columns: tensor.columns) { return matrix }
            throw unreadable(tensor)
        }
        let rowBytes = tensor.byteRange.count / tensor.rows
        let start = rows.lowerBound * rowBytes
        return try read(tensor) { bytes in
            try PackedMatrix(
                type: type, rows: count, columns: tensor.columns,
                source: UnsafeRawBufferPointer(rebasing: bytes[start...]), groups: groups, pool: pool,
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
        guard let value = try file.withBytes(of: tensor, body) else { throw unreadable(tensor) }
        file.releasePages(of: tensor)
        // Some tensors are read twice, for example an embedding that also serves as the head.
        bytesRead = min(bytesRead + ByteSize(clamping: tensor.byteRange.count), ByteSize(clamping: file.byteCount))
        progress(bytesRead.count)
        return value
    }

    private func unreadable(_ tensor: TensorDescriptor) -> NetworkError {
        NetworkError(
            .unsupported, "\(file.name): the tensor \(tensor.name) (\(tensor.typeName)) has a shape no kernel reads.")
    }

    private func wrongShape(_ tensor: TensorDescriptor, _ expected: String) -> NetworkError {
        NetworkError(
            .invalidFile,
            "\(file.name): the tensor \(tensor.name) is \(tensor.dimensions.map(String.init).joined(separator: " × ")), "
                + "not \(expected) as the metadata says. The file is damaged; download it again.")
    }
}
