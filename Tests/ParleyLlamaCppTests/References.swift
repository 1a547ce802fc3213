// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import Testing

    /// The cache that `scripts/fetch-references` fills.
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

        /// The prompts that engines are compared on, one a line.
        static let prompts = tests.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "scripts/reference/prompts.txt")

        /// The default model.
        static let defaultModel = "models/smollm2-135m-q4_1.gguf"

        static func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }
    }
#endif
