// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyFiles
package import ParleySystem

/// Records which bytes of a partial file are valid, so that a later process can resume the download.
///
/// The journal lies beside the partial file. It begins with a JSON header of fixed length, followed by two numbers for
/// each chunk: how many of its bytes were written, and how many of those have been flushed to the disk. If only the
/// process was killed, the operating system still holds what was written, and the first number counts. If the system
/// itself was restarted, only the second number counts.
package final class DownloadJournal: Sendable {
    /// Identifies the file being downloaded, and its version on the server.
    package struct Identity: Codable, Hashable, Sendable {
        /// The address of the file, without credentials.
        package var source: String
        package var byteCount: ByteSize
        package var chunkSize: ByteSize
        package var validator: FileValidator
    }

    private struct Header: Codable {
        var version = 1
        var identity: Identity
        /// The boot of the system in which the counts of written bytes were recorded.
        var boot: String
    }

    private static let headerSize = 4_096
    private static let slotSize = 16
    private static let maximumSize = headerSize + ChunkPlan.maximumChunks * slotSize

    let identity: Identity
    /// The number of valid bytes of each chunk when the journal was opened.
    let written: [Int64]
    private let file: PartialFile

    private init(identity: Identity, written: [Int64], file: PartialFile) {
        self.identity = identity
        self.written = written
        self.file = file
    }

    /// The address of the journal that belongs to a partial file.
    static func url(for partial: URL) -> URL {
        partial.appendingPathExtension("journal")
    }

    /// Creates a journal for a file with `written` bytes of each chunk already downloaded.
    static func create(for partial: URL, identity: Identity, written: [Int64]) throws -> DownloadJournal {
        var data = try JSONEncoder().encode(Header(identity: identity, boot: BootSession.current))
        guard data.count < headerSize else {
            throw ModelStoreError(.storageFailed, "The address of the file is too long.")
        }
        data.append(Data(repeating: 0x20, count: headerSize - data.count))
        for bytes in written { data.append(slot(bytes, bytes)) }
        let temporary = partial.appendingPathExtension("journal-new")
        let file = try PartialFile.create(at: temporary)
        try file.write(data, at: 0)
        try file.publish(as: url(for: partial))
        return DownloadJournal(identity: identity, written: written, file: file)
    }

    /// Reads the journal of a partial file; nil where there is none, where it is damaged, and where it describes
    /// another file than the target.
    static func open(for partial: PartialFile, target: DownloadTarget) throws -> DownloadJournal? {
        guard let data = try? WholeFile.contents(of: url(for: partial.url), limit: maximumSize),
            let (identity, written) = read(data, for: partial.byteCount), identity.suits(target)
        else { return nil }
        // A new journal records the written bytes as flushed, so they must be flushed first.
        try partial.synchronize()
        return try create(for: partial.url, identity: identity, written: written)
    }

    /// Reads a journal.
    ///
    /// - Parameters:
    ///   - data: the journal.
    ///   - partialByteCount: the length of the partial file.
    /// - Returns: the file that it describes, and the number of valid bytes of each chunk; nil for an invalid journal.
    package static func read(
        _ data: Data, for partialByteCount: ByteSize
    ) -> (identity: Identity, written: [Int64])? {
        guard data.count >= headerSize,
            let header = try? JSONDecoder().decode(Header.self, from: data.prefix(headerSize)), header.version == 1
        else { return nil }
        let identity = header.identity
        guard let count = ChunkPlan.chunkCount(byteCount: identity.byteCount, chunkSize: identity.chunkSize),
            data.count == headerSize + count * slotSize
        else { return nil }
        let numbers = header.boot == BootSession.current ? 0 : 8
        let written = (0..<count).map { chunk -> Int64 in
            let start = data.startIndex + headerSize + chunk * slotSize + numbers
            let bytes = data[start..<(start + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let begin = Int64(chunk) * identity.chunkSize.bytes
            guard let bytes = ByteSize(exactly: bytes), bytes <= identity.chunkSize,
                begin + bytes.bytes <= partialByteCount.bytes
            else { return 0 }
            return bytes.bytes
        }
        return (identity, written)
    }

    /// Whether a later attempt resumes the download of a file from what the partial file has.
    ///
    /// - Parameters:
    ///   - partial: the location of the partial file.
    ///   - isPinned: whether the file's digest is known.
    /// - Returns: whether it does.
    static func isResumable(_ partial: URL, isPinned: Bool) -> Bool {
        guard let size = RegularFile.ownSize(of: partial),
            let data = try? WholeFile.contents(of: url(for: partial), limit: maximumSize),
            let (identity, written) = read(data, for: size)
        else { return false }
        return (isPinned || identity.validator.ifRange != nil) && written.contains { $0 > 0 }
    }

    /// Removes the journal of a partial file.
    static func remove(for partial: URL) {
        try? FileManager.default.removeItem(at: url(for: partial))
    }

    /// Records how many bytes of a chunk were written.
    func note(_ bytes: Int64, of chunk: Int) throws {
        try file.write(Self.number(bytes), at: Int64(Self.headerSize + chunk * Self.slotSize))
    }

    /// Records how many bytes of each chunk have been flushed to the disk.
    func noteDurable(_ written: [Int64]) throws {
        // Transfers may have written more meanwhile, so the counts of written bytes are left alone.
        for chunk in written.indices where written[chunk] > 0 {
            try file.write(Self.number(written[chunk]), at: Int64(Self.headerSize + chunk * Self.slotSize + 8))
        }
        try file.synchronize()
    }

    private static func number(_ value: Int64) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }

    private static func slot(_ written: Int64, _ durable: Int64) -> Data {
        number(written) + number(durable)
    }
}

extension DownloadJournal.Identity {
    /// Whether the download of a target may resume from this file. That is safe where the digest is known, which is
    /// checked at the end, or where the server can tell by the validator whether its file is still the same.
    func suits(_ target: DownloadTarget) -> Bool {
        if let expected = target.byteCount, expected != byteCount { return false }
        return target.sha256 != nil || (source == target.source && validator.ifRange != nil)
    }
}
