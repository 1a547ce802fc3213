// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTestSupport

extension References {
    /// The directory of recorded token ids.
    static let goldens = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Goldens")

    /// Whether the cache holds both llama.cpp's vocabularies and the models.
    static var areFetched: Bool {
        ["vocabularies", "models"].allSatisfy { !names(in: url($0), ending: ".gguf").isEmpty }
    }

    /// The names in a directory with that ending, sorted.
    static func names(in directory: URL, ending: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return (names ?? []).filter { $0.hasSuffix(ending) }.sorted()
    }
}
