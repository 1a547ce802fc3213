// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyModelFile

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How a file of this machine comes into a store.
public enum ImportMode: String, Sendable, CaseIterable {
    /// The store gets a copy.
    case copy
    /// The file gets a second name in the store: no room is needed, but both must be on one disk. It stays as it is,
    /// also its permissions, and stays the user's: who changes it changes the model, which `verify` finds out.
    case link
    /// The store remembers where the file is. It stays the user's: removing the model leaves it, and it must not move.
    case reference
}

extension ModelStore {
    /// Puts files of this machine into the store as a model.
    ///
    /// Of a split file any part may be named; the others are taken from beside it.
    ///
    /// - Parameters:
    ///   - file: the model's file.
    ///   - companions: files that belong to it, such as a projector (`mmproj-*.gguf`), with what they are for.
    ///   - name: the name to keep it under; nil takes the file's.
    ///   - mode: how the files come into the store.
    ///   - progress: told how many bytes of how many were read.
    /// - Returns: the model in the store.
    /// - Throws: ``ModelStoreError`` with code `fileNotFound`, `damagedFile` for what is no model or not a whole one,
    ///   `invalidManifest`, `diskFull`, `quotaExceeded` or `storageFailed`; `CancellationError`.
    @discardableResult
    public func importModel(
        at file: URL, companions: [(url: URL, role: ManifestFile.Role)] = [], name: String? = nil,
        mode: ImportMode = .copy, progress: @escaping @Sendable (_ read: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> InstalledModel {
        let file = file.standardizedFileURL
        let split = SplitName(file.lastPathComponent)
        let parts =
            split.map { split in split.all.map { file.deletingLastPathComponent().appending(path: $0) } } ?? [file]
        let stem = split?.base ?? file.deletingPathExtension().lastPathComponent
        let sources = parts.map { (url: $0, role: ManifestFile.Role.model) } + companions
        var manifest = ModelManifest(
            name: name ?? stem, origin: file.absoluteString,
            files: try sources.map { source in
                ManifestFile(
                    role: source.role, name: source.url.lastPathComponent,
                    byteCount: try Self.importableSize(source.url),
                    sources: [.web(source.url.standardizedFileURL)])
            })
        try check(manifest)
        for name in sources.map(\.url.lastPathComponent) where !name.lowercased().hasSuffix(".gguf") {
            throw ModelStoreError(code: .damagedFile, message: "\(name) is no .gguf file, which models are kept in.")
        }
        for (source, file) in zip(sources, manifest.files) { try requireModel(source.url, name: file.name) }
        try layout.create()
        let lock = try await StoreLock.wait(.shared, at: layout.lock)
        defer { withExtendedLifetime(lock) {} }
        let whole = manifest.files.reduce(ByteSize.zero) { $0 + ($1.byteCount ?? .zero) }
        if mode == .copy { try requireSpace(whole) }
        if mode != .reference { try requireQuota(whole) }
        var done = ByteSize.zero
        var references: [String: URL] = [:]
        for (index, source) in sources.enumerated() {
            let base = done
            let (byteCount, sha256) = try take(source.url, mode) { read in
                progress((base + ByteSize(clamping: read)).bytes, whole.bytes)
            }
            done += byteCount
            (manifest.files[index].byteCount, manifest.files[index].sha256) = (byteCount, sha256)
            if mode == .reference { references[manifest.files[index].name] = source.url.standardizedFileURL }
        }
        let modelLock = try await StoreLock.wait(.exclusive, at: layout.modelLock(manifest.name))
        defer { withExtendedLifetime(modelLock) {} }
        try publish(manifest, references: references)
        guard let model = installed(manifest.name) else {
            throw ModelStoreError(code: .storageFailed, message: "\(manifest.name) was removed while it was imported.")
        }
        return model
    }

    private static func importableSize(_ url: URL) throws -> ByteSize {
        if let size = RegularFile.size(of: url) { return size }
        throw ModelStoreError(code: .fileNotFound, message: "There is no file \(url.path). Check the path.")
    }

    /// Brings one file in and returns its size and digest.
    private func take(
        _ url: URL, _ mode: ImportMode, progress: (Int64) -> Void
    ) throws -> (byteCount: ByteSize, sha256: String) {
        let partial = layout.partial("import-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: partial) }
        switch mode {
        case .copy:
            let copy = try PartialFile.create(at: partial)
            let result = try copy.copy(url, progress: progress)
            let blob = layout.blob(result.sha256)
            if RegularFile.ownSize(of: blob) != result.byteCount { try copy.publish(as: blob, isReadOnly: true) }
            return result
        case .link:
            do {
                try FileManager.default.linkItem(at: url.resolvingSymlinksInPath(), to: partial)
            } catch {
                throw ModelStoreError(
                    code: .storageFailed,
                    message:
                        "\(url.path) cannot be linked into \(directory.path); they may be on different disks. Copy "
                        + "it, or import it by reference.", cause: error)
            }
            let result = try digest(of: partial, progress: progress)
            let blob = layout.blob(result.sha256)
            if RegularFile.ownSize(of: blob) != result.byteCount {
                guard move(partial, blob) == 0 else { throw ModelStoreError.system("write", blob, errno) }
                PartialFile.synchronizeDirectory(layout.blobs)
            }
            return result
        case .reference:
            return try digest(of: url, progress: progress)
        }
    }

    private func digest(of url: URL, progress: (Int64) -> Void) throws -> (byteCount: ByteSize, sha256: String) {
        var byteCount = ByteSize.zero
        let digest = try ModelStoreError.storing("read", url) {
            try sha256(of: url) { count in
                byteCount = ByteSize(clamping: count)
                progress(count)
            }
        }
        return (byteCount, digest)
    }
}
