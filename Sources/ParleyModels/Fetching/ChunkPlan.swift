// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// Tracks which chunks of a file have been downloaded and which one to request next.
package struct ChunkPlan: Sendable, Hashable {
    /// A byte range of the file to request.
    package struct Assignment: Sendable, Hashable {
        /// The index of the chunk that the range belongs to.
        package var chunk: Int
        /// The offsets within the file of the bytes that are missing from the chunk.
        package var range: Range<Int64>
    }

    /// The length of the file in bytes.
    package let byteCount: Int64
    /// The length in bytes of every chunk except the last, which may be shorter.
    package let chunkSize: Int64
    /// The number of bytes downloaded of each chunk, counted from its start.
    package private(set) var written: [Int64]
    /// The number of bytes downloaded, over all chunks.
    package private(set) var received: Int64 = 0
    /// The first chunk that is not complete; the number of chunks where all are.
    private var firstGap = 0
    private var assigned: Set<Int> = []

    /// The largest number of chunks. A file that needs more is not a model; its length is taken to be wrong.
    package static let maximumChunks = 1 << 20

    /// Creates a plan; nil for an empty file, for a chunk size of zero, and for more than ``maximumChunks`` chunks.
    ///
    /// - Parameters:
    ///   - byteCount: the length of the file.
    ///   - chunkSize: the length of all chunks but the last.
    ///   - written: the number of bytes of each chunk that were downloaded earlier; empty for a new file.
    package init?(byteCount: ByteSize, chunkSize: ByteSize, written: [Int64] = []) {
        guard let count = Self.chunkCount(byteCount: byteCount, chunkSize: chunkSize) else { return nil }
        self.init(byteCount, chunkSize, count, written)
    }

    private init(_ byteCount: ByteSize, _ chunkSize: ByteSize, _ count: Int, _ written: [Int64]) {
        self.byteCount = byteCount.bytes
        self.chunkSize = chunkSize.bytes
        self.written = Array(repeating: 0, count: count)
        for (chunk, bytes) in written.prefix(count).enumerated() { advance(chunk, by: bytes) }
    }

    static func chunkCount(byteCount: ByteSize, chunkSize: ByteSize) -> Int? {
        guard byteCount > .zero, chunkSize > .zero else { return nil }
        let count = (byteCount.bytes + chunkSize.bytes - 1) / chunkSize.bytes
        return count <= maximumChunks ? Int(count) : nil
    }

    private func length(of chunk: Int) -> Int64 {
        min(chunkSize, byteCount - Int64(chunk) * chunkSize)
    }

    /// Whether the whole file was downloaded.
    package var isComplete: Bool { received == byteCount }

    /// The length in bytes of the part at the start of the file that was downloaded without a gap.
    package var prefix: Int64 {
        firstGap < written.count ? Int64(firstGap) * chunkSize + written[firstGap] : byteCount
    }

    /// Assigns the first incomplete chunk that no transfer is working on; nil where there is none.
    package mutating func take() -> Assignment? {
        for chunk in firstGap..<written.count where !assigned.contains(chunk) {
            let gap = gap(in: chunk)
            if gap.isEmpty { continue }
            assigned.insert(chunk)
            return Assignment(chunk: chunk, range: gap)
        }
        return nil
    }

    /// Ends the assignment of a chunk, whether it is complete or not.
    package mutating func release(_ chunk: Int) {
        assigned.remove(chunk)
    }

    /// The offsets within the file of the bytes that are still missing from a chunk.
    package func gap(in chunk: Int) -> Range<Int64> {
        let start = Int64(chunk) * chunkSize
        return (start + written[chunk])..<(start + length(of: chunk))
    }

    /// Records that further bytes of a chunk were downloaded.
    package mutating func advance(_ chunk: Int, by bytes: Int64) {
        let count = min(max(bytes, 0), length(of: chunk) - written[chunk])
        written[chunk] += count
        received += count
        while firstGap < written.count, written[firstGap] == length(of: firstGap) { firstGap += 1 }
    }
}
