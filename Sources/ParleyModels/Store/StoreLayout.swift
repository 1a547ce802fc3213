// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where things are in a store's directory.
///
///     blobs/sha256-HEX                complete files, under their digest; never rewritten
///     entries/NAME/manifest.json      a model: what it consists of and where it came from
///     entries/.replaced-NAME          an earlier model of that name, until another has taken its place
///     entries/NAME/FILE               its files under their own names: links to blobs, or to files outside
///     partial/KEY, KEY.journal        files that are being fetched
///     partial/NAME.lock               held while a model is being fetched
///     index.json                      when models were last used; can be made anew
///     lock                            held shared while a model is put together, alone while one is taken apart
struct StoreLayout: Sendable {
    /// The store's directory.
    let root: URL

    var blobs: URL { root.appending(path: "blobs", directoryHint: .isDirectory) }
    var entries: URL { root.appending(path: "entries", directoryHint: .isDirectory) }
    var partials: URL { root.appending(path: "partial", directoryHint: .isDirectory) }
    var index: URL { root.appending(path: "index.json", directoryHint: .notDirectory) }
    var lock: URL { root.appending(path: "lock", directoryHint: .notDirectory) }

    /// A complete file.
    func blob(_ sha256: String) -> URL {
        blobs.appending(path: Self.blobName(sha256), directoryHint: .notDirectory)
    }

    static func blobName(_ sha256: String) -> String { "sha256-\(sha256)" }

    /// A model's own directory.
    func entry(_ name: String) -> URL {
        entries.appending(path: EntryName.escape(name), directoryHint: .isDirectory)
    }

    /// Where the directory of that name goes until another has taken its place.
    func replaced(_ entry: String) -> URL {
        entries.appending(path: Self.replacedPrefix + entry, directoryHint: .isDirectory)
    }

    private static let replacedPrefix = ".replaced-"

    /// The name that a directory of models has, or had until another began to take its place.
    static func entryName(_ directory: String) -> String {
        directory.hasPrefix(replacedPrefix) ? String(directory.dropFirst(replacedPrefix.count)) : directory
    }

    static let manifestName = "manifest.json"
    /// The most bytes of a manifest; one of a thousand parts has less than 2 MB.
    static let longestManifest = 16 << 20

    /// A file that is being fetched.
    func partial(_ key: String) -> URL {
        partials.appending(path: key, directoryHint: .notDirectory)
    }

    /// What is held while a model of that name is being fetched.
    func modelLock(_ name: String) -> URL {
        partials.appending(path: EntryName.escape(name) + ".lock", directoryHint: .notDirectory)
    }

    /// A directory for a model that is being made: as deep as the models, so that its links lead where theirs do.
    func scratch() -> URL {
        entries.appending(path: ".scratch-\(UUID().uuidString)", directoryHint: .isDirectory)
    }

    /// Makes the directories.
    func create() throws {
        for directory in [blobs, entries, partials] {
            try ModelStoreError.storing("create", directory) {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            }
        }
    }
}
