// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// A timeline whose memory of the tokens it has read can be copied to another place, such as a file, and put back into
/// a timeline of the same model, also by a later process.
///
/// Which timelines can do so is up to the engine. Only tokens can be in a snapshot, no embeddings. A snapshot is neither
/// compressed nor checked by the timeline: whoever keeps it makes sure that its bytes come back as they were.
public protocol SnapshotTimeline: TokenTimeline {
    /// What the bytes of a snapshot depend on apart from the model's weights: the engine, the code that it runs and the
    /// layout of its memory. A timeline can read only snapshots of timelines whose value is the same.
    var snapshotFormat: String { get }

    /// The distance between two positions at which a snapshot can end; at least 1.
    var snapshotInterval: Int { get }

    /// The size of a snapshot of the first `count` positions in bytes; `count` is at most ``TokenTimeline/capacity``.
    func snapshotByteCount(of count: Int) -> Int

    /// Copies what the timeline keeps of its first positions.
    ///
    /// - Parameters:
    ///   - count: the number of positions, all of them tokens: a multiple of ``snapshotInterval``.
    ///   - write: receives the bytes piece by piece; they are valid only during the call.
    /// - Throws: ``RuntimeError`` with code `invalidInput` for another count, and any error of `write`.
    func writeSnapshot(of count: Int, to write: (UnsafeRawBufferPointer) throws -> Void) throws

    /// Replaces everything in the timeline by a snapshot; if this throws, the timeline is empty.
    ///
    /// - Parameters:
    ///   - tokens: the tokens that were at the positions of the snapshot.
    ///   - read: fills each piece with the next bytes of the snapshot.
    /// - Throws: ``RuntimeError`` with code `invalidInput` if there can be no snapshot of these tokens, and any error of
    ///   `read`.
    func readSnapshot(of tokens: [TokenID], from read: (UnsafeMutableRawBufferPointer) throws -> Void) throws
}
