// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The bytes of a sound, in memory or in a file, of which parts are read where they are wanted.
package struct SoundBytes {
    private enum Place {
        case memory(Data)
        case file(FileHandle, name: String)
    }

    private let place: Place
    /// How many bytes there are.
    package let count: Int

    /// Bytes in memory.
    package init(_ data: Data) {
        (place, count) = (.memory(data), data.count)
    }

    /// The bytes of a file.
    ///
    /// - Throws: `AudioError`, if it cannot be opened or is not a regular file.
    package init(contentsOf url: URL) throws {
        let name = url.lastPathComponent
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw AudioError(.unreadableFile, "\(name) is not a file.")
            }
            let handle = try FileHandle(forReadingFrom: url)
            count = Int(clamping: try handle.seekToEnd())
            place = .file(handle, name: name)
        } catch let error as AudioError {
            throw error
        } catch {
            let exists = FileManager.default.fileExists(atPath: url.path)
            let reason = exists ? "cannot be opened" : "does not exist"
            throw AudioError(.unreadableFile, "The file \(name) \(reason).", cause: error)
        }
    }

    /// The bytes of a range, fewer where it reaches behind the end.
    ///
    /// - Throws: `AudioError`, if the file cannot be read.
    package func read(from offset: Int, count wanted: Int) throws -> Data {
        let offset = min(max(0, offset), count)
        let wanted = min(max(0, wanted), count - offset)
        if wanted == 0 { return Data() }
        switch place {
        case .memory(let data):
            return data.dropFirst(offset).prefix(wanted)
        case .file(let handle, let name):
            do {
                try handle.seek(toOffset: UInt64(offset))
                return try handle.read(upToCount: wanted) ?? Data()
            } catch {
                throw AudioError(.unreadableFile, "The file \(name) cannot be read.", cause: error)
            }
        }
    }
}

extension Data {
    /// The integer of the lowest byte first at an offset from the start, or `nil` where the bytes end before.
    package func integer<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value? {
        let width = Value.bitWidth / 8
        guard offset >= 0, offset <= count - width else { return nil }
        return withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self)) }
    }
}
