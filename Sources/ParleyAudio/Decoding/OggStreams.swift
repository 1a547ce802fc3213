// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The streams in a file of Ogg ([RFC 3533](https://www.rfc-editor.org/rfc/rfc3533)).
enum OggStreams {
    private static let mark = Data("OggS".utf8)
    /// A page has at most so many bytes.
    private static let longestPage = 65_307
    /// More streams side by side than this are not looked at.
    private static let mostStreams = 64

    /// Whether streams follow one another, as in recordings of radio stations: the last page is of none of the streams that
    /// begin the file.
    static func areChained(in bytes: SoundBytes) throws -> Bool {
        var first: Set<UInt32> = []
        var offset = 0
        // The first pages of all streams that lie side by side come before all others.
        while first.count < mostStreams, let page = try page(in: bytes, at: offset), page.begins {
            first.insert(page.serial)
            offset += page.length
        }
        guard !first.isEmpty, let last = try lastSerial(in: bytes) else { return false }
        return !first.contains(last)
    }

    /// A page that begins at a place; nil if none does.
    private static func page(
        in bytes: SoundBytes, at offset: Int
    ) throws -> (serial: UInt32, begins: Bool, length: Int)? {
        let head = try bytes.read(from: offset, count: 27 + 255)
        guard head.starts(with: mark), head.integer(UInt8.self, at: 4) == 0,
            let flags = head.integer(UInt8.self, at: 5), flags < 8,
            let serial = head.integer(UInt32.self, at: 14), let segments = head.integer(UInt8.self, at: 26)
        else { return nil }
        let sizes = head.dropFirst(27).prefix(Int(segments))
        return (serial, flags & 2 == 2, 27 + Int(segments) + sizes.reduce(0) { $0 + Int($1) })
    }

    /// The number of the stream of the last page.
    private static func lastSerial(in bytes: SoundBytes) throws -> UInt32? {
        let start = max(0, bytes.count - 2 * longestPage)
        let end = try bytes.read(from: start, count: 2 * longestPage)
        guard let place = end.range(of: mark, options: .backwards)?.lowerBound else { return nil }
        return try page(in: bytes, at: start + place - end.startIndex)?.serial
    }
}
