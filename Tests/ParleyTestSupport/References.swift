// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Testing

/// The cache that `scripts/fetch-references` fills.
package enum References {
    /// What a skipped test says.
    package static let hint: Comment = "run scripts/fetch-references"

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let cache: URL = {
        if let path = ProcessInfo.processInfo.environment["PARLEY_REFERENCES"], !path.isEmpty {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return root.appending(path: ".build/references", directoryHint: .isDirectory)
    }()

    /// A file of the cache, such as `tiny/llama-F32.gguf`.
    package static func url(_ path: String) -> URL { cache.appending(path: path) }

    /// Whether a file of the cache is there.
    package static func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }

    /// The default model.
    package static let defaultModel = "models/smollm2-135m-q4_1.gguf"

    /// The prompts that engines are compared on, one a line.
    package static let prompts = root.appending(path: "scripts/reference/prompts.txt")
}
