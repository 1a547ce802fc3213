// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The cache that `scripts/fetch-references` fills with what is too large to commit.
enum References {
    static let root: URL = {
        if let path = ProcessInfo.processInfo.environment["PARLEY_REFERENCES"] { return URL(fileURLWithPath: path) }
        return package.appendingPathComponent(".build/references")
    }()

    /// The package's directory.
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The directory of recorded token ids.
    static let goldens = package.appendingPathComponent("Tests/ParleyTokenizerTests/Goldens")

    /// Whether the cache holds both llama.cpp's vocabularies and the models.
    static var areFetched: Bool {
        ["vocabularies", "models"].allSatisfy { !names(in: root.appendingPathComponent($0), ending: ".gguf").isEmpty }
    }

    /// The names in a directory with that ending, sorted.
    static func names(in directory: URL, ending: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return (names ?? []).filter { $0.hasSuffix(ending) }.sorted()
    }
}
