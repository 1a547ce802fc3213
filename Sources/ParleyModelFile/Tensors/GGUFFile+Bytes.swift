// SPDX-License-Identifier: Apache-2.0

import ParleySystem

extension GGUFFile {
    /// Lends the data of a tensor for the duration of a call; nothing is copied.
    ///
    /// The bytes are the file's own pages, read when touched. They must not be used after `body` returns.
    ///
    /// - Parameters:
    ///   - tensor: one of this file's ``tensors``.
    ///   - body: reads the bytes.
    /// - Returns: what `body` returns.
    /// - Throws: ``ModelFileError`` for a descriptor of another file, or where only the file's header is available;
    ///   what `body` throws.
    package func withBytes<Result>(
        of tensor: TensorDescriptor, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let part = try part(of: tensor)
        return try part.withUnsafeBytes { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes[tensor.byteRange]))
        }
    }

    /// Gives the memory that holds a tensor's data back to the system, after the data has been copied elsewhere.
    ///
    /// The data is read from the file again when it is needed again, so this is always safe, but may be slow.
    ///
    /// - Parameters:
    ///   - tensor: one of this file's ``tensors``.
    ///   - bytes: which of the tensor's bytes; nil for all.
    package func releasePages(of tensor: TensorDescriptor, bytes: Range<Int>? = nil) {
        guard let part = try? part(of: tensor) else { return }
        let start = tensor.byteRange.lowerBound
        let range = bytes.map { start + $0.lowerBound..<start + $0.upperBound } ?? tensor.byteRange
        part.releasePages(range.clamped(to: tensor.byteRange))
    }

    private func part(of tensor: TensorDescriptor) throws(ModelFileError) -> FileBytes {
        guard parts.indices.contains(tensor.part), tensor.byteRange.upperBound <= parts[tensor.part].size.count else {
            throw ModelFileError(.missingTensor, "\(name): the descriptor of \(tensor.name) is of another file.")
        }
        guard tensor.byteRange.upperBound <= parts[tensor.part].count else {
            throw ModelFileError(.missingTensor, "\(name): only the header is here, not the data of \(tensor.name).")
        }
        return parts[tensor.part]
    }
}
