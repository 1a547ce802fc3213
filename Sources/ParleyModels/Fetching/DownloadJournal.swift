// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleySystem

/// What of a partial file can be trusted, kept beside it so that a later process goes on where this one stopped.
///
/// The file begins with a header of fixed length in JSON; two numbers for each chunk follow: the bytes that were
/// written, and the bytes that were on the disk when last asked for. A killed process loses nothing that it had
/// written, because the system holds it; when the system itself has stopped meanwhile, only the second number counts.
package final class DownloadJournal: Sendable {
    /// Which file, of which state, the partial file is becoming.
    package struct Identity: Codable, Hashable, Sendable {
        /// Where it comes from, without secrets.
        package var source: String
        package var byteCount: ByteSize
        package var chunkSize: ByteSize
        package var validator: FileValidator
    }

    private struct Header: Codable {
        var version = 1
        var identity: Identity
        /// The run of the system that the first numbers hold for.
        var boot: String
    }

    private static let headerSize = 4_096
    private static let slotSize = 16
    private static let maximumSize = headerSize + ChunkPlan.maximumChunks * slotSize

    let identity: Identity
    /// The bytes of each chunk that can be trusted, as they were when the journal was opened.
    let written: [Int64]
    private let file: PartialFile

    private init(identity: Identity, written: [Int64], file: PartialFile) {
        self.identity = identity
        self.written = written
        self.file = file
    }

    /// Where the journal of a partial file is.
    static func url(for partial: URL) -> URL {
        partial.appendingPathExtension("journal")
    }

    /// Starts a journal for a file of which so much has come.
    static func create(for partial: URL, identity: Identity, written: [Int64]) throws -> DownloadJournal {
        var data = try JSONEncoder().encode(Header(identity: identity, boot: BootSession.current))
        guard data.count < headerSize else {
            throw ModelStoreError(code: .storageFailed, message: "The address of the file is too long.")
        }
        data.append(Data(repeating: 0x20, count: headerSize - data.count))
        for bytes in written { data.append(slot(bytes, bytes)) }
        let temporary = partial.appendingPathExtension("journal-new")
        let file = try PartialFile.create(at: temporary)
        try file.write(data, at: 0)
        try file.publish(as: url(for: partial))
        return DownloadJournal(identity: identity, written: written, file: file)
    }

    /// Reads the journal of a partial file; nil where there is none that makes sense and suits what is wanted.
    static func open(for partial: PartialFile, target: DownloadTarget) throws -> DownloadJournal? {
        guard let data = RegularFile.contents(of: url(for: partial.url), limit: maximumSize),
            let (identity, written) = read(data, for: partial.byteCount), identity.suits(target)
        else { return nil }
        // Both numbers of a new journal are the same, so it must be true of the disk too.
        try partial.synchronize()
        return try create(for: partial.url, identity: identity, written: written)
    }

    /// Reads a journal.
    ///
    /// - Parameters:
    ///   - data: the journal.
    ///   - partialByteCount: the length of the partial file.
    /// - Returns: which file it is of, and how many bytes of each chunk can be trusted; nil for an invalid journal.
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

    /// Removes the journal of a partial file.
    static func remove(for partial: URL) {
        try? FileManager.default.removeItem(at: url(for: partial))
    }

    /// Notes what of a chunk was written.
    func note(_ bytes: Int64, of chunk: Int) throws {
        try file.write(Self.number(bytes), at: Int64(Self.headerSize + chunk * Self.slotSize))
    }

    /// Notes what of all chunks is on the disk.
    func noteDurable(_ written: [Int64]) throws {
        // The first numbers may be greater by now, so only the second ones are written.
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
    /// Whether a download of a target may go on from here: the digest will tell, or the server can.
    func suits(_ target: DownloadTarget) -> Bool {
        if let expected = target.byteCount, expected != byteCount { return false }
        return target.sha256 != nil || (source == target.source && validator.ifRange != nil)
    }
}
