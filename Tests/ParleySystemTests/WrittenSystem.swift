// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySystem
import ParleyTestSupport

/// Runs with the files of a Linux system, by their paths, below another root than `/`.
func withSystem<Result>(_ files: [String: String], _ body: (SystemFiles) throws -> Result) throws -> Result {
    try withTemporaryDirectory { directory in
        for (path, text) in files {
            let file = directory.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        return try body(SystemFiles(root: directory.path(percentEncoded: false)))
    }
}
