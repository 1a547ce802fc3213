// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the program says what is no result.
enum StandardError {
    /// Writes a text. A reader who has gone, or a disk that is full, is no reason for a server to end;
    /// the signal of the former is ignored by the program.
    static func write(_ text: String, to output: FileHandle = .standardError) {
        try? output.write(contentsOf: Data(text.utf8))
    }
}
