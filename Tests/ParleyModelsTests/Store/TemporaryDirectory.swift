// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A directory that is removed with its last reference.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The paths of all files and links inside, without those that only serve as locks.
    var listing: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: url.path).filter { path in
                let type = try FileManager.default.attributesOfItem(atPath: url.appending(path: path).path)[.type]
                return type as? FileAttributeType != .typeDirectory && path != "lock" && !path.hasSuffix(".lock")
            }.sorted()
        }
    }
}
