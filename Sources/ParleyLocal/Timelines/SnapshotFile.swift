// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyFiles
package import ParleyRuntime
package import ParleyTokenizer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A snapshot of a timeline in a file.
///
/// In this order, and little-endian: `ParleyKV`; the version of this form, 8 bytes; the key, 32; the number of
/// positions, 8; the number of bytes that the engine has written, 8; the tokens, 4 each; the engine's bytes; and the
/// checksum of all before it, 8.
///
/// The checksum is XXH64: it costs a small part of the time that reading the file takes, where SHA-256 would double it,
/// and on processors without SHA instructions more. Neither would help against somebody who can write the file. The
/// engine's bytes are read straight to their place and not mapped: the file may shrink meanwhile, which would end the
/// process, and the layout of a cache depends on its capacity.
package enum SnapshotFile {
    static let magic = [UInt8]("ParleyKV".utf8)
    static let version: UInt64 = 1
    static let headerByteCount = 64
    static let checksumByteCount = 8

    /// What must be the same for a snapshot to be of use.
    ///
    /// - Parameters:
    ///   - model: identifies the model's weights.
    ///   - format: the engine's form of snapshots.
    /// - Returns: the digest of both.
    package static func key(model: String, format: String) -> [UInt8] {
        SHA256Hash.digest(of: Data("\(model.utf8.count) \(model)\n\(format)".utf8))
    }

    /// The size of the file of a snapshot in bytes.
    package static func byteCount(of count: Int, in timeline: any SnapshotTimeline) -> Int {
        headerByteCount + 4 * count + timeline.snapshotByteCount(of: count) + checksumByteCount
    }

    /// Writes a snapshot of a timeline's first `count` positions.
    ///
    /// - Parameters:
    ///   - timeline: the timeline, which is in use nowhere else.
    ///   - count: the number of positions, as the timeline demands it.
    ///   - key: the key.
    ///   - url: the file, which is replaced.
    /// - Throws: `FileError`; any error of the timeline.
    package static func write(_ timeline: any SnapshotTimeline, count: Int, key: [UInt8], to url: URL) throws {
        let file = try UnfinishedFile(for: url)
        var hash = XXHash64()
        func append(_ bytes: UnsafeRawBufferPointer) throws {
            hash.update(bytes)
            try file.append(bytes)
        }
        var head = magic
        head.append(version)
        head += key
        head.append(UInt64(count))
        head.append(UInt64(timeline.snapshotByteCount(of: count)))
        for token in timeline.contents.tokens.prefix(count) {
            withUnsafeBytes(of: token.littleEndian) { head.append(contentsOf: $0) }
        }
        try head.withUnsafeBytes { try append($0) }
        try timeline.writeSnapshot(of: count, to: append)
        var tail: [UInt8] = []
        tail.append(hash.checksum)
        try tail.withUnsafeBytes { try file.append($0) }
        // A file that a power failure has damaged is noticed by its checksum, so that nobody waits for the disk.
        try file.publish(isFlushed: false)
    }
}

/// Reads a snapshot's file.
package struct SnapshotReader: ~Copyable {
    /// The tokens of the snapshot.
    package private(set) var tokens: [TokenID] = []

    private let descriptor: Int32
    private let url: URL
    private var hash = XXHash64()

    /// Opens a file and reads everything before the engine's bytes.
    ///
    /// - Parameters:
    ///   - url: the file; not a link.
    ///   - key: the key that it must have.
    ///   - timeline: the timeline that is to read it.
    /// - Throws: `FileError` with code `notFound` if there is no file; ``SnapshotFault``.
    package init(_ url: URL, key: [UInt8], for timeline: any SnapshotTimeline) throws {
        self.url = url
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError("open", url, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw SnapshotFault.foreign }
        var head = [UInt8](repeating: 0, count: SnapshotFile.headerByteCount)
        try read(into: &head)
        let magic = SnapshotFile.magic
        guard head.starts(with: magic), head.word(at: 8) == SnapshotFile.version, head[16..<48].elementsEqual(key)
        else { throw SnapshotFault.foreign }
        // Nothing is allocated, and no sum is made, of a size that has not been checked.
        guard let count = Int(exactly: head.word(at: 48)), count > 0, count <= timeline.capacity,
            count.isMultiple(of: timeline.snapshotInterval), let size = Int(exactly: head.word(at: 56)),
            size == timeline.snapshotByteCount(of: count),
            Int(status.st_size) == SnapshotFile.byteCount(of: count, in: timeline)
        else { throw SnapshotFault.damaged }
        var tokens = [TokenID](repeating: 0, count: count)
        try tokens.withUnsafeMutableBytes { try fill($0) }
        self.tokens = tokens.map { TokenID(littleEndian: $0) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Puts the snapshot into a timeline; if this throws, the timeline is empty.
    ///
    /// - Throws: ``SnapshotFault``; `FileError`; any error of the timeline.
    package mutating func restore(_ timeline: any SnapshotTimeline) throws {
        try timeline.readSnapshot(of: tokens) { try fill($0) }
        let checksum = hash.checksum
        var tail = [UInt8](repeating: 0, count: SnapshotFile.checksumByteCount)
        do {
            try read(into: &tail)
            guard tail.word(at: 0) == checksum else { throw SnapshotFault.damaged }
        } catch {
            timeline.rewind(to: 0)
            throw error
        }
    }

    private mutating func read(into bytes: inout [UInt8]) throws {
        try bytes.withUnsafeMutableBytes { try fill($0) }
    }

    /// Fills memory with the next bytes, in pieces that are still in the processor's cache when they are checked.
    private mutating func fill(_ memory: UnsafeMutableRawBufferPointer) throws {
        var rest = memory
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = systemRead(descriptor, start, min(rest.count, 1 << 18))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", url, errno) }
            guard count > 0 else { throw SnapshotFault.damaged }
            hash.update(UnsafeRawBufferPointer(start: start, count: count))
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
        }
    }
}

/// Why a snapshot's file is ignored.
package enum SnapshotFault: Error, Hashable {
    /// It is of another model, engine or version, or not a snapshot.
    case foreign
    /// It has been damaged.
    case damaged
}

// A method could not call `read`, because a member of that name would shadow it.
private func systemRead(_ descriptor: Int32, _ memory: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, memory, count)
}

extension [UInt8] {
    fileprivate mutating func append(_ word: UInt64) {
        Swift.withUnsafeBytes(of: word.littleEndian) { append(contentsOf: $0) }
    }

    /// The little-endian number at an offset.
    fileprivate func word(at offset: Int) -> UInt64 {
        self[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
