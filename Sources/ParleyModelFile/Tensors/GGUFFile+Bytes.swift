// SPDX-License-Identifier: Apache-2.0

import ParleySystem

extension GGUFFile {
    /// Calls `body` with the data of a tensor, without copying it where the file has it in this form.
    ///
    /// The bytes are the pages of the mapped file, which the system reads when they are accessed; for a folder whose
    /// tensor has another form, they are made for this call. They must not be used after `body` returns.
    ///
    /// - Parameters:
    ///   - tensor: one of this file's ``tensors``.
    ///   - body: reads the bytes.
    /// - Returns: the value that `body` returns.
    /// - Throws: ``ModelFileError`` if the descriptor belongs to another file or only the file's header is available;
    ///   errors that `body` throws.
    package func withBytes<Result>(
        of tensor: TensorDescriptor, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if let source = source(of: tensor) { return try source.withBytes(body) }
        let part = try part(of: tensor)
        return try part.withUnsafeBytes { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes[tensor.byteRange]))
        }
    }

    /// Releases the memory that holds a tensor's data, for example after the data has been copied.
    ///
    /// This is always safe, but may be slow: if the data is needed again, the system reads it from the file again.
    ///
    /// - Parameters:
    ///   - tensor: one of this file's ``tensors``.
    ///   - bytes: the range of the tensor's bytes to release; nil for all.
    package func releasePages(of tensor: TensorDescriptor, bytes: Range<Int>? = nil) {
        if let source = source(of: tensor) {
            let whole = 0..<tensor.byteRange.count
            return source.releasePages((bytes ?? whole).clamped(to: whole))
        }
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
