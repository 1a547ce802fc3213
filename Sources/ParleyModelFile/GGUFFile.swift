// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
package import ParleySystem
import ParleyTokenizer

/// A model file in the GGUF format, opened for reading: its metadata, its tensor descriptors, and access to the
/// tensors' data.
///
/// Opening a file maps it into memory, reads its header and checks every count, length and offset in it; no tensor is
/// read. The file is unmapped when the last reference to it, or to a ``MetadataValue`` of it, is gone.
///
/// ```swift
/// let file = try GGUFFile(contentsOf: URL(filePath: "smollm2-135m.gguf"))
/// let layers = file.metadata["llama.block_count"]?.unsigned
/// let tokenizer = try Tokenizer(file.tokenizerDescription())
/// ```
///
/// Supported are versions 2 and 3, little-endian, in one file or split into parts. See
/// <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.
///
/// A folder in the form of Hugging Face's `transformers` (`config.json`, `model.safetensors`, `tokenizer.json`) opens
/// as the GGUF file that it would be converted to: its header is made in memory, and the data of a tensor is taken from
/// the folder's files when it is asked for.
public final class GGUFFile: Sendable {
    /// The version of the GGUF format.
    package let version: Int
    /// The file's metadata; for a split model, that of the first part.
    public let metadata: Metadata
    /// The tensors of all parts, in the order of the file.
    package let tensors: [TensorDescriptor]
    let parts: [FileBytes]
    /// Where the data of the tensors comes from, one for each, if it does not lie in ``parts``.
    private let sources: [any TensorSource]
    /// The tokenizer of a folder, which the metadata may not describe in full.
    let folderTokenizer: TokenizerDescription?
    private let indices: [String: Int]

    /// Opens a model file.
    ///
    /// - Parameter url: the file, or any part of a split model (`name-00001-of-00003.gguf`), whose other parts must be in
    ///   the same directory; or a folder with `config.json`.
    /// - Throws: ``ModelFileError``, with code `unsupportedModel` for a folder whose model has no form in GGUF.
    public convenience init(contentsOf url: URL) throws(ModelFileError) {
        if ModelFormat.huggingFace.isFormat(of: url) {
            try self.init(ModelFolder(.directory(url)))
            return
        }
        let file = try FileBytes(path: url.path)
        let header = try GGUFHeader(of: file, part: 0)
        guard let split = try SplitPosition(header.metadata), split.count > 1 else {
            try self.init(parts: [file], headers: [header])
            return
        }
        try self.init(
            parts: SplitPosition.paths(of: file.name, split).map { (path) throws(ModelFileError) in
                try FileBytes(path: path)
            })
    }

    /// Opens bytes in memory as if they were a file, or the parts of a split model.
    ///
    /// - Throws: ``ModelFileError``.
    package convenience init(bytes: ArraySlice<UInt8>..., name: String = "memory") throws(ModelFileError) {
        try self.init(parts: bytes.map { FileBytes($0, name: name) })
    }

    /// Opens only the beginning of a file, or of each of its parts, which contains the header; the tensors' data cannot
    /// be read.
    ///
    /// - Parameters:
    ///   - beginnings: the first bytes of each part, and the size of the whole part.
    ///   - name: the file's name in messages.
    /// - Throws: ``ModelFileError``, with code `incompleteHeader` if a header is longer than the given bytes.
    package convenience init(
        beginnings: [(bytes: ArraySlice<UInt8>, size: ByteSize)], name: String
    ) throws(ModelFileError) {
        try self.init(parts: beginnings.map { FileBytes($0.bytes, of: $0.size, name: name) })
    }

    /// Opens a folder of which only the beginnings of the weights are there, with their headers; the tensors' data cannot
    /// be read.
    ///
    /// - Parameters:
    ///   - files: the folder's files by their names.
    ///   - name: the folder's name in messages.
    /// - Throws: ``ModelFileError``.
    package convenience init(folder files: [String: FileBytes], name: String) throws(ModelFileError) {
        try self.init(ModelFolder(.beginnings(files, name: name)))
    }

    /// Determines the length in bytes of the header of a file or part; nil if more bytes are needed.
    ///
    /// - Throws: ``ModelFileError`` if the header is invalid.
    package static func headerLength(
        in bytes: ArraySlice<UInt8>, of size: ByteSize, name: String
    ) throws(ModelFileError) -> Int? {
        do {
            return try GGUFHeader(of: FileBytes(bytes, of: size, name: name), part: 0).byteCount
        } catch {
            if error.code == .incompleteHeader { return nil }
            throw error
        }
    }

    private convenience init(parts: [FileBytes]) throws(ModelFileError) {
        var headers: [GGUFHeader] = []
        for (number, part) in parts.enumerated() {
            headers.append(try GGUFHeader(of: part, part: number))
        }
        try self.init(parts: parts, headers: headers)
    }

    /// Opens a folder as the file that it would be converted to.
    convenience init(_ folder: ModelFolder) throws(ModelFileError) {
        let layout = folder.layout
        let file = FileBytes(layout.header[...], of: layout.size, name: folder.name)
        try self.init(
            parts: [file], headers: [GGUFHeader(of: file, part: 0)], sources: folder.tensors,
            tokenizer: folder.tokenizer)
    }

    private init(
        parts: [FileBytes], headers: [GGUFHeader], sources: [any TensorSource] = [],
        tokenizer: TokenizerDescription? = nil
    ) throws(ModelFileError) {
        try SplitPosition.check(headers)
        try Self.checkTemplates(headers[0].metadata)
        var indices: [String: Int] = [:]
        let tensors = headers.flatMap(\.tensors)
        for (index, tensor) in tensors.enumerated() where indices.updateValue(index, forKey: tensor.name) != nil {
            throw .corrupt(parts[tensor.part].name, "the tensor \(tensor.name) occurs twice")
        }
        self.parts = parts
        self.tensors = tensors
        self.sources = sources
        folderTokenizer = tokenizer
        self.indices = indices
        version = headers[0].version
        metadata = headers[0].metadata
    }

    /// The size of all parts together in bytes.
    public var byteCount: Int { parts.reduce(ByteSize.zero) { $0 + $1.size }.count }

    /// The number of parameters, which is the number of elements in all tensors; at most the limit of ``ByteSize``.
    public var parameterCount: Int {
        tensors.reduce(ByteSize.zero) { $0 + ByteSize(clamping: $1.elementCount) }.count
    }

    /// The file's name in messages.
    public var name: String { parts[0].name }

    /// Returns the descriptor of a tensor.
    ///
    /// - Throws: ``ModelFileError`` with code `missingTensor` if there is no tensor of that name.
    package func tensor(_ name: String) throws(ModelFileError) -> TensorDescriptor {
        guard let tensor = tensor(ifPresent: name) else {
            throw ModelFileError(
                .missingTensor,
                "\(self.name): there is no tensor \(name). The file is incomplete, or its architecture has another form."
            )
        }
        return tensor
    }

    /// Returns the descriptor of a tensor; nil if there is no tensor of that name.
    package func tensor(ifPresent name: String) -> TensorDescriptor? {
        indices[name].map { tensors[$0] }
    }

    /// Where the data of a tensor comes from; nil if it lies in the file.
    func source(of tensor: TensorDescriptor) -> (any TensorSource)? {
        guard let index = indices[tensor.name], sources.indices.contains(index), tensors[index] == tensor else {
            return nil
        }
        return sources[index]
    }
}
