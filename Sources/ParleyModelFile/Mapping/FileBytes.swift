// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// The bytes of a file, or only of its beginning, either mapped or in memory.
package final class FileBytes: Sendable {
    private enum Storage: Sendable {
        case mapped(FileMapping)
        case memory(ArraySlice<UInt8>)
    }

    /// The file's name in messages.
    package let name: String
    /// The number of bytes that are available.
    package let count: Int
    /// The size of the whole file, of which only the beginning may be available.
    package let size: ByteSize
    private let storage: Storage

    /// Maps the file at a path.
    package init(path: String) throws(ModelFileError) {
        let mapping = try FileMapping(path: path)
        name = path
        count = mapping.bytes.count
        size = ByteSize(clamping: count)
        storage = .mapped(mapping)
    }

    /// Uses bytes in memory as a file, or as the beginning of a file of a given size.
    package init(_ bytes: ArraySlice<UInt8>, of size: ByteSize? = nil, name: String) {
        self.name = name
        count = bytes.count
        self.size = max(size ?? .zero, ByteSize(clamping: bytes.count))
        storage = .memory(bytes)
    }

    /// Calls `body` with the available bytes, which must not be used after it returns.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .mapped(let mapping): try body(mapping.bytes)
        case .memory(let bytes):
            try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
        }
    }

    /// Releases the physical pages of a range; does nothing for bytes in memory.
    package func releasePages(_ range: Range<Int>) {
        if case .mapped(let mapping) = storage { mapping.releasePages(range) }
    }
}
