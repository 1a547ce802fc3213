// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
import ParleyModelFile
import ParleySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How a file on this machine is imported into a store.
public enum InstallMode: String, Sendable, CaseIterable {
    /// The file is copied into the store.
    case copy
    /// The store gets a hard link to the file. It takes no additional space, but both must be on the same disk. The
    /// file keeps its permissions and belongs to the user: whoever changes it changes the model, which `verify`
    /// detects.
    case link
    /// The store only records where the file is. It must not be moved, and removing the model does not remove it.
    case reference
}

extension ModelStore {
    /// Imports files on this machine as a model.
    ///
    /// For a split file, any part may be given; the other parts must lie beside it. Of a folder in the form of Hugging
    /// Face, the files are imported that the model consists of.
    ///
    /// - Parameters:
    ///   - file: the model's file, or a folder with `config.json`.
    ///   - companions: further files of the model, such as a projector (`mmproj-*.gguf`), with their roles.
    ///   - name: the model's name in the store; nil derives it from the file's name.
    ///   - mode: whether the files are copied, linked or referred to.
    ///   - mayReplace: whether a model from elsewhere that has the name is replaced. One that was imported from the same
    ///     path always is.
    ///   - progress: called with the number of bytes read so far and their total.
    /// - Returns: the installed model.
    /// - Throws: ``ModelStoreError`` with code `fileNotFound`, `damagedFile` for a file that is not a complete model
    ///   file, `nameTaken` where the name is that of a model from elsewhere or of one in the catalog, `invalidReference`
    ///   for a name by which no model could be found, `invalidManifest`, `diskFull`, `quotaExceeded` or `storageFailed`;
    ///   `CancellationError`.
    @discardableResult
    public func install(
        fileAt file: URL, companions: [(url: URL, role: ManifestFile.Role)] = [], name: String? = nil,
        mode: InstallMode = .copy, mayReplace: Bool = false,
        progress: @escaping @Sendable (_ read: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> InstalledModel {
        let file = file.standardizedFileURL
        let isFolder = ModelFormat.huggingFace.isFormat(of: file)
        let parts = try isFolder ? files(ofFolder: file, companions) : SplitName.files(of: file)
        let split = isFolder ? nil : SplitName(file.lastPathComponent)
        let stem = split?.stem ?? (isFolder ? file : file.deletingPathExtension()).lastPathComponent
        let role: ManifestFile.Role = isFolder ? .folder : .weights
        let sources = parts.map { (url: $0, role: role) } + companions
        var manifest = ModelManifest(
            name: name ?? stem, origin: file.absoluteString,
            files: try sources.map { source in
                ManifestFile(
                    role: source.role, name: source.url.lastPathComponent,
                    byteCount: try Self.importableSize(source.url),
                    sources: [.web(source.url.standardizedFileURL)])
            })
        try checkImportedName(manifest.name)
        try check(manifest)
        for name in sources.map(\.url.lastPathComponent)
        where !isFolder && !ModelFormat.gguf.isFormat(ofFileNamed: name) {
            throw ModelStoreError(
                .damagedFile,
                "\(name) is neither a .gguf file nor a folder with config.json. Only these can be imported.")
        }
        if !mayReplace { try requireName(of: manifest, isImported: true) }
        if isFolder {
            try requireModel(file, name: stem, toBe: "imported")
        } else {
            for (source, file) in zip(sources, manifest.files) {
                try requireModel(source.url, name: file.name, toBe: "imported")
            }
        }
        try layout.create()
        let lock = try await self.lock(.shared, at: layout.lock)
        defer { withExtendedLifetime(lock) {} }
        let whole = manifest.files.reduce(ByteSize.zero) { $0 + ($1.byteCount ?? .zero) }
        if mode == .copy { try requireSpace(whole) }
        let claim = QuotaClaim(self)
        let partials = sources.map { _ in layout.importing() }
        if mode != .reference {
            let sizes = zip(partials, manifest.files).map { ($0.lastPathComponent, $1.byteCount ?? .zero) }
            try await claim.make(Dictionary(uniqueKeysWithValues: sizes))
        }
        var done = ByteSize.zero
        var references: [String: URL] = [:]
        for (index, source) in sources.enumerated() {
            let base = done
            let (byteCount, sha256) = try take(source.url, mode, through: partials[index]) { read in
                progress((base + ByteSize(clamping: read)).bytes, whole.bytes)
            }
            await claim.end(partials[index])
            done += byteCount
            (manifest.files[index].byteCount, manifest.files[index].sha256) = (byteCount, sha256)
            // A file of the store itself stays as long as a model has it.
            let isBlob = source.url.resolvingSymlinksInPath() == layout.blob(sha256).resolvingSymlinksInPath()
            if mode == .reference, !isBlob {
                references[manifest.files[index].name] = source.url.standardizedFileURL
            }
        }
        try requireOwnName(of: manifest)
        let modelLock = try await self.lock(.exclusive, at: layout.modelLock(manifest.name))
        defer { withExtendedLifetime(modelLock) {} }
        if !mayReplace { try requireName(of: manifest, isImported: true) }
        try publish(manifest, references: references)
        return try published(manifest)
    }

    /// The files of a folder that make up its model.
    private func files(ofFolder folder: URL, _ companions: [(url: URL, role: ManifestFile.Role)]) throws -> [URL] {
        guard companions.isEmpty else {
            throw ModelStoreError(
                .damagedFile,
                "\(folder.lastPathComponent) is a folder, which has no projector beside it. Import it alone.")
        }
        do {
            return try FolderFiles.names(in: folder).map {
                folder.appending(path: $0, directoryHint: .notDirectory)
            }
        } catch {
            throw ModelStoreError(.damagedFile, error.message, cause: error)
        }
    }

    private static func importableSize(_ url: URL) throws -> ByteSize {
        if let size = RegularFile.size(of: url) { return size }
        throw ModelStoreError.noModel(at: url)
    }

    /// Throws where a file has the name of a model in the catalog, but is not that model.
    private func requireOwnName(of manifest: ModelManifest) throws {
        for entry in catalog.entries {
            for file in entry.files where entry.name(of: file.quantization).lowercased() == manifest.name.lowercased() {
                if isMeant(manifest, by: entry, file.quantization) { return }
                throw ModelStoreError(
                    .nameTaken,
                    "\(manifest.name) is the name of a model in the catalog, and this file is not that model. Import it "
                        + "under another name (--name).")
            }
        }
    }

    /// Imports one file, first under a temporary name, and returns its size and digest.
    private func take(
        _ url: URL, _ mode: InstallMode, through partial: URL, progress: (Int64) -> Void
    ) throws -> (byteCount: ByteSize, sha256: String) {
        defer { try? FileManager.default.removeItem(at: partial) }
        switch mode {
        case .copy:
            let copy = try PartialFile.create(at: partial)
            let result = try copy.copy(url, progress: progress)
            let blob = layout.blob(result.sha256)
            if try !isSound(blob, result.sha256) { try copy.publish(as: blob, isReadOnly: true) }
            return result
        case .link:
            do {
                try FileManager.default.linkItem(at: url.resolvingSymlinksInPath(), to: partial)
            } catch {
                throw ModelStoreError(
                    .storageFailed,
                    "\(url.path) cannot be linked into \(directory.path); they may be on different disks. Copy "
                        + "it, or import it by reference.", cause: error)
            }
            let result = try digest(of: partial, progress: progress)
            let blob = layout.blob(result.sha256)
            if try !isSound(blob, result.sha256) {
                guard move(partial, blob) == 0 else { throw ModelStoreError.system("write", blob, errno) }
                WholeFile.flushDirectory(layout.blobs)
            }
            return result
        case .reference:
            return try digest(of: url, progress: progress)
        }
    }

    private func digest(of url: URL, progress: (Int64) -> Void) throws -> (byteCount: ByteSize, sha256: String) {
        var byteCount = ByteSize.zero
        let digest = try ModelStoreError.reading(url) {
            try sha256(of: url) { count in
                byteCount = ByteSize(clamping: count)
                progress(count)
            }
        }
        return (byteCount, digest)
    }
}
