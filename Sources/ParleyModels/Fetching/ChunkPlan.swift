// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// Which parts of a file have come, and which is to be asked for next.
package struct ChunkPlan: Sendable, Hashable {
    /// A part of the file to ask for.
    package struct Assignment: Sendable, Hashable {
        /// The chunk it belongs to.
        package var chunk: Int
        /// The bytes that the chunk still lacks.
        package var range: Range<Int64>
    }

    /// The length of the file.
    package let byteCount: Int64
    /// The length of every chunk but the last.
    package let chunkSize: Int64
    /// How many bytes of each chunk have come, from its start.
    package private(set) var written: [Int64]
    private var assigned: Set<Int> = []

    /// More chunks than this are no file that anybody downloads, or a damaged number.
    package static let maximumChunks = 1 << 20

    /// Creates a plan; nil for an empty file, for empty chunks, and for more than ``maximumChunks`` of them.
    ///
    /// - Parameters:
    ///   - byteCount: the length of the file.
    ///   - chunkSize: the length of all chunks but the last.
    ///   - written: the bytes of each chunk that have come before; empty for a new file.
    package init?(byteCount: ByteSize, chunkSize: ByteSize, written: [Int64] = []) {
        guard let count = Self.chunkCount(byteCount: byteCount, chunkSize: chunkSize) else { return nil }
        self.init(byteCount, chunkSize, count, written)
    }

    private init(_ byteCount: ByteSize, _ chunkSize: ByteSize, _ count: Int, _ written: [Int64]) {
        self.byteCount = byteCount.bytes
        self.chunkSize = chunkSize.bytes
        self.written = Array(repeating: 0, count: count)
        for (chunk, bytes) in written.prefix(count).enumerated() {
            self.written[chunk] = min(max(bytes, 0), length(of: chunk))
        }
    }

    static func chunkCount(byteCount: ByteSize, chunkSize: ByteSize) -> Int? {
        guard byteCount > .zero, chunkSize > .zero else { return nil }
        let count = (byteCount.bytes + chunkSize.bytes - 1) / chunkSize.bytes
        return count <= maximumChunks ? Int(count) : nil
    }

    private func length(of chunk: Int) -> Int64 {
        min(chunkSize, byteCount - Int64(chunk) * chunkSize)
    }

    /// The bytes that have come.
    package var received: Int64 { written.reduce(0, +) }

    /// Whether all has come.
    package var isComplete: Bool { received == byteCount }

    /// The bytes that have come without a gap from the start.
    package var prefix: Int64 {
        var prefix: Int64 = 0
        for (chunk, bytes) in written.enumerated() {
            prefix += bytes
            if bytes < length(of: chunk) { break }
        }
        return prefix
    }

    /// Takes the first part that nobody is getting.
    package mutating func take() -> Assignment? {
        for (chunk, bytes) in written.enumerated() where bytes < length(of: chunk) && !assigned.contains(chunk) {
            assigned.insert(chunk)
            let start = Int64(chunk) * chunkSize
            return Assignment(chunk: chunk, range: (start + bytes)..<(start + length(of: chunk)))
        }
        return nil
    }

    /// Gives a part back, whole or not.
    package mutating func release(_ chunk: Int) {
        assigned.remove(chunk)
    }

    /// Where the next bytes of a chunk belong and how many it still lacks.
    package func gap(in chunk: Int) -> Range<Int64> {
        let start = Int64(chunk) * chunkSize
        return (start + written[chunk])..<(start + length(of: chunk))
    }

    /// Notes that bytes of a chunk have come.
    package mutating func advance(_ chunk: Int, by bytes: Int64) {
        written[chunk] = min(written[chunk] + min(max(bytes, 0), chunkSize), length(of: chunk))
    }
}
