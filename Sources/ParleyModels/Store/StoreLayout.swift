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
        entries.appending(path: Self.entryName(of: name), directoryHint: .isDirectory)
    }

    /// Where the directory of that name goes until another has taken its place.
    func replaced(_ entry: String) -> URL {
        entries.appending(path: Self.replacedPrefix + entry, directoryHint: .isDirectory)
    }

    private static let replacedPrefix = ".replaced-"

    /// The name that a directory of models has, or had until another began to take its place.
    static func entryName(ofDirectory directory: String) -> String {
        directory.hasPrefix(replacedPrefix) ? String(directory.dropFirst(replacedPrefix.count)) : directory
    }

    private static let longestEntryName = 200

    /// The name of a model as that of a directory: one path component for any name. Names that differ only in case are
    /// the same, as on some file systems.
    static func entryName(of name: String) -> String {
        var result = ""
        for (index, byte) in name.lowercased().utf8.enumerated() {
            switch byte {
            case 0x61...0x7a, 0x30...0x39, 0x2d, 0x5f: result.append(Character(Unicode.Scalar(byte)))
            case 0x2e where index > 0: result.append(".")
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" + digits : digits)
            }
        }
        if result.isEmpty { return "%" }
        if result.utf8.count <= longestEntryName { return result }
        let digest = SHA256Hash.hexadecimal(of: Data(name.lowercased().utf8))
        return result.prefix(longestEntryName - 65) + "+" + digest
    }

    static let manifestName = "manifest.json"
    /// The most bytes of a manifest; one of a thousand parts has less than 2 MB.
    static let longestManifest = 16 << 20

    /// A file that is being fetched: at the same place for everybody who wants the same one.
    func partial(of file: ManifestFile) -> URL {
        partial(Self.partialName(of: file))
    }

    private static func partialName(of file: ManifestFile) -> String {
        if let sha256 = file.sha256 { return blobName(sha256) }
        // Without a digest the address counts, less what changes from day to day.
        let sources = file.sources.map { source -> String in
            switch source.redacted {
            case .web(let url): url.absoluteString
            case .pythonPackage(let package): "\(package.package) \(package.version) \(package.member)"
            }
        }
        return "source-" + SHA256Hash.hexadecimal(of: Data((sources + [file.name]).joined(separator: "\n").utf8))
    }

    /// A file that is being made.
    func partial(_ name: String) -> URL {
        partials.appending(path: name, directoryHint: .notDirectory)
    }

    /// What is held while a model of that name is being fetched.
    func modelLock(_ name: String) -> URL {
        partials.appending(path: Self.entryName(of: name) + ".lock", directoryHint: .notDirectory)
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
