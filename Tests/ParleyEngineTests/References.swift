// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTokenizer
import Testing

/// The cache that `scripts/fetch-references` fills, and the goldens beside these tests.
enum References {
    /// What a skipped test says.
    static let hint: Comment = "run scripts/fetch-references"

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    private static let cache: URL = {
        if let path = ProcessInfo.processInfo.environment["PARLEY_REFERENCES"], !path.isEmpty {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        return root.appending(path: ".build/references", directoryHint: .isDirectory)
    }()

    /// A file of the cache, such as `tiny/llama-F32.gguf`.
    static func url(_ path: String) -> URL { cache.appending(path: path) }

    static func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }

    /// A file of `Goldens`.
    static func golden<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(contentsOf: tests.appending(path: "Goldens/\(name).json")))
    }
}
