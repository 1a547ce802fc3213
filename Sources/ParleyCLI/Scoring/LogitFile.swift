// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of logits: rows of little-endian 32-bit floats.
struct LogitFile {
    private let handle: FileHandle
    private let path: String

    /// Creates the file, in place of what was there.
    init(path: String) throws {
        self.path = path
        do {
            try Data().write(to: URL(filePath: path))
            handle = try FileHandle(forWritingTo: URL(filePath: path))
        } catch {
            throw CommandError("Cannot write \(path). Check the directory and its permissions.", cause: error)
        }
    }

    /// Appends a row.
    func write(_ row: UnsafeMutableBufferPointer<Float>) throws {
        // Every machine we run on is little-endian, so the bytes are in order already.
        do {
            try handle.write(contentsOf: Data(buffer: row))
        } catch {
            throw CommandError("Cannot write \(path): the disk may be full.", cause: error)
        }
    }
}
