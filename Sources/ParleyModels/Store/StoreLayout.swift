// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles

/// The paths in a store's directory.
///
///     blobs/sha256-HEX                complete files, under their digest; never rewritten
///     entries/NAME/manifest.json      a model: what it consists of and where it came from
///     entries/.replaced-NAME          an earlier model of that name, while it is being replaced
///     entries/NAME/FILE               its files under their own names: links to blobs, or to files outside
///     partial/KEY, KEY.journal        files that are being downloaded
///     partial/NAME.lock               held while a model is being downloaded
///     partial/UUID.claim              how much an installation will add to the store, locked by it
///     index.json                      when models were last used; can be rebuilt
///     lock                            held shared while a model is installed, exclusively while one is removed
struct StoreLayout: Sendable {
    /// The store's directory.
    let root: URL

    var blobs: URL { root.appending(path: "blobs", directoryHint: .isDirectory) }
    var entries: URL { root.appending(path: "entries", directoryHint: .isDirectory) }
    var partials: URL { root.appending(path: "partial", directoryHint: .isDirectory) }
    var index: URL { root.appending(path: "index.json", directoryHint: .notDirectory) }
    var lock: URL { root.appending(path: "lock", directoryHint: .notDirectory) }

    /// The path of a complete file, by its digest.
    func blob(_ sha256: String) -> URL {
        blobs.appending(path: Self.blobName(sha256), directoryHint: .notDirectory)
    }

    /// The lock that is held while the size of the store is compared with its limit.
    var quotaLock: URL { partials.appending(path: ".quota.lock", directoryHint: .notDirectory) }

    /// How the names of files end in which installations write how much they will add; see ``QuotaClaim``.
    static let claimSuffix = ".claim"

    static func blobName(_ sha256: String) -> String { "sha256-\(sha256)" }

    /// The directory of a model.
    func entry(_ name: String) -> URL {
        entries.appending(path: Self.entryName(of: name), directoryHint: .isDirectory)
    }

    /// The path that a model's directory is renamed to while it is being replaced.
    func replaced(_ entry: String) -> URL {
        entries.appending(path: Self.replacedPrefix + entry, directoryHint: .isDirectory)
    }

    private static let replacedPrefix = ".replaced-"

    /// The final name of a model's directory, also for one that is being replaced.
    static func entryName(ofDirectory directory: String) -> String {
        directory.hasPrefix(replacedPrefix) ? String(directory.dropFirst(replacedPrefix.count)) : directory
    }

    private static let longestEntryName = 200

    /// The directory name for a model's name: always one path component. Names that differ only in case, or in how
    /// their characters are composed, give the same directory, as they do on some file systems.
    static func entryName(of name: String) -> String {
        // Equal strings may have different bytes.
        let key = FileName.key(name).precomposedStringWithCanonicalMapping
        var result = ""
        for (index, byte) in key.utf8.enumerated() {
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
        let digest = SHA256Hash.hexadecimal(of: Data(key.utf8))
        return result.prefix(longestEntryName - 65) + "+" + digest
    }

    /// Why a model cannot have a file of a name; nil for a valid one.
    static func fault(inFileName name: String) -> String? {
        FileName.fault(in: name) ?? (FileName.key(name) == manifestName ? "it is reserved for the store" : nil)
    }

    static let manifestName = "manifest.json"
    /// The maximum length of a manifest in bytes; one with a thousand files has less than 2 MB.
    static let longestManifest = 16 << 20

    /// The path of a file that is being downloaded. It is the same in every process that downloads the same file.
    func partial(of file: ManifestFile) -> URL {
        partial(Self.partialName(of: file))
    }

    private static func partialName(of file: ManifestFile) -> String {
        if let sha256 = file.sha256 { return blobName(sha256) }
        // Without a digest the address identifies the file, except for its query, which may contain a signature that
        // changes daily.
        let sources = file.sources.map { source -> String in
            switch source.redacted {
            case .web(let url): url.absoluteString
            case .pythonPackage(let package): "\(package.package) \(package.version) \(package.member)"
            case .pythonPackageParts(let parts):
                parts.map { "\($0.package) \($0.version) \($0.member)" }.joined(separator: " ")
            }
        }
        return "source-" + SHA256Hash.hexadecimal(of: Data((sources + [file.name]).joined(separator: "\n").utf8))
    }

    /// The path of a copy or a link that is being imported.
    func importing() -> URL { partial(Self.importPrefix + UUID().uuidString) }

    static let importPrefix = "import-"

    /// The path of a file that is being written.
    func partial(_ name: String) -> URL {
        partials.appending(path: name, directoryHint: .notDirectory)
    }

    /// The lock that is held while a model of that name is being downloaded.
    func modelLock(_ name: String) -> URL {
        partials.appending(path: Self.entryName(of: name) + ".lock", directoryHint: .notDirectory)
    }

    /// A new path for the directory of a model that is being installed. It is as deep in the tree as the final one, so
    /// that relative links work in both.
    func scratch() -> URL {
        entries.appending(path: ".scratch-\(UUID().uuidString)", directoryHint: .isDirectory)
    }

    /// Creates the store's directories.
    func create() throws {
        for directory in [blobs, entries, partials] {
            try ModelStoreError.storing("create", directory) {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            }
        }
    }
}
