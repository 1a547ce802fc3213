// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A directory that goes with its last reference.
package final class TemporaryDirectory: Sendable {
    /// Where it is.
    package let url = URL.temporary()

    /// Creates the directory.
    package init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The paths of all files and links inside, without those that only serve as locks.
    package var listing: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: url.path).filter { path in
                let type = try FileManager.default.attributesOfItem(atPath: url.appending(path: path).path)[.type]
                return type as? FileAttributeType != .typeDirectory && path != "lock" && !path.hasSuffix(".lock")
            }.sorted()
        }
    }
}

/// Runs with a directory that is removed afterwards.
package func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let directory = try TemporaryDirectory()
    return try withExtendedLifetime(directory) { try body(directory.url) }
}

/// Runs with a directory that is removed afterwards.
package func withTemporaryDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory.url)
}

extension URL {
    /// A place for temporary files that nobody else has, where there is nothing yet; `ending` ends its name.
    package static func temporary(_ ending: String = "") -> URL {
        FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)\(ending)")
    }
}
