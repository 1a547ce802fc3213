// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file with the number of the current case, to be read after a crash.
struct FuzzJournal {
    private let file: FileHandle

    init(path: String) throws {
        try Data().write(to: URL(filePath: path))
        file = try FileHandle(forWritingTo: URL(filePath: path))
    }

    func write(_ number: UInt64) {
        var number = number.littleEndian
        withUnsafeBytes(of: &number) { bytes in
            _ = pwrite(file.fileDescriptor, bytes.baseAddress, bytes.count, 0)
        }
    }
}
