// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// The bytes of one file, mapped or held in memory: all of them, or only its beginning.
final class FileBytes: Sendable {
    private enum Storage: Sendable {
        case mapped(FileMapping)
        case memory(ArraySlice<UInt8>)
    }

    /// The file's name in messages.
    let name: String
    /// The number of bytes that are available.
    let count: Int
    /// The length of the file, of which only the beginning may be available.
    let size: ByteSize
    private let storage: Storage

    /// Maps the file at a path.
    init(path: String) throws(ModelFileError) {
        let mapping = try FileMapping(path: path)
        name = path
        count = mapping.bytes.count
        size = ByteSize(clamping: count)
        storage = .mapped(mapping)
    }

    /// Holds bytes as if they were a file, or the beginning of one of some size.
    init(_ bytes: ArraySlice<UInt8>, of size: ByteSize? = nil, name: String) {
        self.name = name
        count = bytes.count
        self.size = max(size ?? .zero, ByteSize(clamping: bytes.count))
        storage = .memory(bytes)
    }

    /// Lends the available bytes for the duration of a call.
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .mapped(let mapping): try body(mapping.bytes)
        case .memory(let bytes):
            try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
        }
    }

    /// Gives the physical pages of a range back to the system; does nothing for bytes in memory.
    func releasePages(_ range: Range<Int>) {
        if case .mapped(let mapping) = storage { mapping.releasePages(range) }
    }
}
