// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyFiles

/// Reads what has been added to the files of a log, by this process or others.
struct ActionLogReader {
    /// What there is since the last look.
    enum News {
        case nothing
        /// Records at the end.
        case more([ActionRecord])
        /// Everything: the files are others than before.
        case anew([ActionRecord])
    }

    /// The largest file that is read.
    private static let limit = 1 << 30

    let url: URL
    /// The file that was read, and how far: up to the end of its last whole line.
    private var number: Int?
    private(set) var position = 0

    init(_ url: URL) { self.url = url }

    /// The older of the two files.
    var older: URL { url.appendingPathExtension("old") }

    /// Looks for what is new.
    ///
    /// A line that is not whole yet is left for the next time.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    mutating func news() throws(AssistantError) -> News {
        let stamp = try FileStamp(url)
        if let stamp, stamp.number == number, stamp.size >= position {
            if stamp.size == position { return .nothing }
            let (records, size) = Self.records(try Self.contents(url, from: position))
            position += size
            return records.isEmpty ? .nothing : .more(records)
        }
        // The first look, another file in its place, or one that has lost its end.
        if stamp == nil, number == nil, position == 0, try FileStamp(older) == nil { return .nothing }
        let old = Self.records(try Self.contents(older, from: 0)).records
        let (records, size) = Self.records(try Self.contents(url, from: 0))
        (number, position) = (stamp?.number, size)
        return .anew(old + records)
    }

    /// The file has grown by what its owner has added, which is known.
    mutating func skip(to count: Int) throws(AssistantError) {
        (number, position) = (try FileStamp(url)?.number, count)
    }

    /// The records of the older file.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func oldRecords() throws(AssistantError) -> [ActionRecord] {
        Self.records(try Self.contents(older, from: 0)).records
    }

    /// The records in some bytes, and the number of bytes up to the end of the last whole line.
    private static func records(_ data: Data) -> (records: [ActionRecord], size: Int) {
        var records: [ActionRecord] = []
        var start = data.startIndex
        while let end = data[start...].firstIndex(of: UInt8(ascii: "\n")) {
            // A line that is no record was damaged by somebody else; the others remain of use.
            if let record = ActionRecord(data[start..<end]) { records.append(record) }
            start = end + 1
        }
        return (records, start - data.startIndex)
    }

    private static func contents(_ url: URL, from position: Int) throws(AssistantError) -> Data {
        do {
            return try WholeFile.contents(of: url, from: position, limit: limit)
        } catch {
            guard error.code == .notFound else { throw ActionLog.failure(error) }
            return Data()
        }
    }
}
