// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The tensors of a model in the safetensors format, in one file or in several that an index lists, opened for reading.
///
/// Opening maps the files, reads their headers and checks every length and offset in them; no tensor is read. See
/// <https://github.com/huggingface/safetensors>.
package final class SafetensorsFile: Sendable {
    /// The tensors of all files, in the order of their data.
    package let tensors: [SafetensorsTensor]
    /// The notes of the first file, such as its `format`.
    package let notes: [String: String]
    /// The files, in the order of ``SafetensorsTensor/part``.
    package let parts: [FileBytes]
    private let indices: [String: Int]

    /// The name of a model's only file.
    package static let fileName = "model.safetensors"
    /// The name of the index of a model in several files.
    package static let indexName = "model.safetensors.index.json"

    /// Opens a file, or the file or files of a folder: those that `model.safetensors.index.json` lists, otherwise
    /// `model.safetensors`.
    ///
    /// - Throws: ``ModelFileError``.
    package convenience init(contentsOf url: URL) throws(ModelFileError) {
        // Only a folder has an entry for itself; Foundation's two forms differ in the type of `isDirectory`.
        guard FileManager.default.fileExists(atPath: url.path + "/.") else {
            try self.init(parts: [FileBytes(path: url.path)])
            return
        }
        try self.init(of: .directory(url))
    }

    /// Opens the file or files of a folder, whose data may not be there.
    ///
    /// - Throws: ``ModelFileError``.
    convenience init(of folder: FolderLocation) throws(ModelFileError) {
        guard let index = try folder.file(Self.indexName) else {
            guard let file = try folder.file(Self.fileName) else {
                throw ModelFileError(
                    .unreadable,
                    "\(folder.name): there is neither \(Self.fileName) nor \(Self.indexName). Download the weights; other forms "
                        + "of them, such as pytorch_model.bin, are not read.")
            }
            try self.init(parts: [file])
            return
        }
        let list = try SafetensorsIndex(index)
        let parts = try list.files.map { (name) throws(ModelFileError) in
            guard let file = try folder.file(name) else {
                throw ModelFileError(
                    .incompleteSplit,
                    "\(folder.name): there is no \(name), which \(Self.indexName) lists. The weights are incomplete; download "
                        + "that file.")
            }
            return file
        }
        try self.init(parts: parts)
        try list.check(tensors)
    }

    /// The length in bytes of the header of a file that begins so, with the number that says it.
    ///
    /// - Throws: ``ModelFileError`` with code `truncated` or `notSafetensors`.
    package static func headerLength(in beginning: [UInt8], name: String) throws(ModelFileError) -> Int {
        try FileBytes(beginning[...], name: name).withUnsafeBytes { (bytes) throws(ModelFileError) -> Int in
            8 + (try SafetensorsHeader.length(in: bytes, name: name))
        }
    }

    /// Whether the data of a tensor is there, and not only its header.
    func hasData(of tensor: SafetensorsTensor) -> Bool { (try? part(of: tensor)) != nil }

    /// Opens bytes in memory as if they were a file, or the files of a model.
    ///
    /// - Throws: ``ModelFileError``.
    package convenience init(bytes: ArraySlice<UInt8>..., name: String = "memory") throws(ModelFileError) {
        try self.init(parts: bytes.map { FileBytes($0, name: name) })
    }

    private init(parts: [FileBytes]) throws(ModelFileError) {
        var tensors: [SafetensorsTensor] = []
        var notes: [String: String] = [:]
        for (number, part) in parts.enumerated() {
            let header = try SafetensorsHeader(of: part, part: number)
            if number == 0 { notes = header.notes }
            tensors += header.tensors
        }
        var indices: [String: Int] = [:]
        for (index, tensor) in tensors.enumerated() where indices.updateValue(index, forKey: tensor.name) != nil {
            throw .corrupt(parts[tensor.part].name, "the tensor \(tensor.name) is in two files")
        }
        self.tensors = tensors
        self.notes = notes
        self.parts = parts
        self.indices = indices
    }

    /// The name of the first file in messages.
    package var name: String { parts.first?.name ?? "" }

    /// The paths of the files.
    package var paths: [String] { parts.map(\.name) }

    /// Returns a tensor; nil if there is none of that name.
    package func tensor(ifPresent name: String) -> SafetensorsTensor? {
        indices[name].map { tensors[$0] }
    }

    /// Returns a tensor.
    ///
    /// - Throws: ``ModelFileError`` with code `missingTensor` if there is none of that name.
    package func tensor(_ name: String) throws(ModelFileError) -> SafetensorsTensor {
        guard let tensor = tensor(ifPresent: name) else {
            throw ModelFileError(
                .missingTensor,
                "\(self.name): there is no tensor \(name). The file is incomplete, or its architecture has another form."
            )
        }
        return tensor
    }

    /// Calls `body` with the data of a tensor, without copying it; the bytes must not be used after it returns.
    ///
    /// The bytes are the pages of the mapped file. They need not be aligned for the type of the values.
    ///
    /// - Parameters:
    ///   - tensor: one of this file's ``tensors``.
    ///   - body: reads the bytes.
    /// - Returns: the value that `body` returns.
    /// - Throws: ``ModelFileError`` if the tensor belongs to another file; errors that `body` throws.
    package func withBytes<Result>(
        of tensor: SafetensorsTensor, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let part = try part(of: tensor)
        return try part.withUnsafeBytes { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes[tensor.byteRange]))
        }
    }

    /// Releases the memory that holds a tensor's data, for example after the data has been copied.
    ///
    /// - Parameters:
    ///   - tensor: one of this file's ``tensors``.
    ///   - bytes: the range of the tensor's bytes to release; nil for all.
    package func releasePages(of tensor: SafetensorsTensor, bytes: Range<Int>? = nil) {
        guard let part = try? part(of: tensor) else { return }
        let start = tensor.byteRange.lowerBound
        let range = bytes.map { start + $0.lowerBound..<start + $0.upperBound } ?? tensor.byteRange
        part.releasePages(range.clamped(to: tensor.byteRange))
    }

    private func part(of tensor: SafetensorsTensor) throws(ModelFileError) -> FileBytes {
        guard parts.indices.contains(tensor.part), tensor.byteRange.upperBound <= parts[tensor.part].count else {
            throw ModelFileError(.missingTensor, "\(name): the tensor \(tensor.name) is of another file.")
        }
        return parts[tensor.part]
    }
}
