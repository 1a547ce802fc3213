// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ModelStore {
    /// Makes a model of files that are all here: it appears under its name at once, in place of an earlier one.
    ///
    /// The caller holds the model's lock.
    ///
    /// - Parameters:
    ///   - manifest: the model; its files have digests.
    ///   - references: files outside that stay where they are, by their names in the manifest.
    /// - Throws: ``ModelStoreError`` with code `storageFailed`, or `damagedFile` for parts that do not belong together.
    func publish(_ manifest: ModelManifest, references: [String: URL] = [:]) throws {
        let scratch = layout.scratch()
        defer { try? FileManager.default.removeItem(at: scratch) }
        try ModelStoreError.storing("write", layout.entries) {
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: false)
            // Links are relative to the directory that the model will have.
            for file in manifest.files {
                let target = references[file.name]?.path ?? "../../blobs/\(StoreLayout.blobName(file.sha256 ?? ""))"
                try FileManager.default.createSymbolicLink(
                    atPath: scratch.appending(path: file.name).path, withDestinationPath: target)
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let written = try PartialFile.create(at: scratch.appending(path: ".manifest"))
            try written.write(try encoder.encode(manifest.redacted), at: 0)
            try written.publish(as: scratch.appending(path: StoreLayout.manifestName))
        }
        // The parts of a split file can be checked only where all of them lie beside each other.
        var bases: Set<String> = []
        for file in manifest.files {
            guard let split = SplitName(file.name), bases.insert(split.base).inserted else { continue }
            try requireModel(scratch.appending(path: file.name), name: file.name)
        }
        try install(scratch, as: manifest.name)
    }

    /// Gives a new model its name.
    ///
    /// Two directories cannot change places at once everywhere, so an earlier model of that name steps aside, where it
    /// is found until the new one has the name. Whatever fails or is broken off, one of them is there.
    private func install(_ scratch: URL, as name: String) throws {
        let destination = layout.entry(name)
        let replaced = layout.replaced(EntryName.escape(name))
        defer { PartialFile.synchronizeDirectory(layout.entries) }
        if move(scratch, destination) != 0 {
            let fault = ModelStoreError.system("write", destination, errno)
            guard (try? destination.checkResourceIsReachable()) == true else { throw fault }
            // While the name is taken, nobody needs what an earlier replacement has left.
            try? FileManager.default.removeItem(at: replaced)
            guard move(destination, replaced) == 0 else { throw fault }
            guard move(scratch, destination) == 0 else {
                let fault = ModelStoreError.system("write", destination, errno)
                // Should this fail too, it is still found where it is.
                _ = move(replaced, destination)
                throw fault
            }
        }
        PartialFile.synchronizeDirectory(layout.entries)
        try? FileManager.default.removeItem(at: replaced)
    }

    /// Refuses a file that is no model, or not a whole one, whatever its name.
    func requireModel(_ url: URL, name: String) throws {
        guard let fault = structuralFault(of: url, name: name) else { return }
        throw ModelStoreError(code: .damagedFile, message: "\(name) is not a whole model file. \(fault)")
    }

    /// Refuses a manifest whose files could not lie beside each other in one directory.
    func check(_ manifest: ModelManifest) throws {
        guard manifest.files.count <= ModelManifest.mostFiles else {
            throw ModelStoreError(
                code: .invalidManifest,
                message: "\(manifest.name) has \(manifest.files.count) files; \(ModelManifest.mostFiles) are the most.")
        }
        var names: Set<String> = []
        for file in manifest.files {
            if let fault = FileName.fault(in: file.name) {
                throw ModelStoreError(
                    code: .invalidManifest,
                    message: "\(manifest.name) has a file whose name cannot be used: \(fault).")
            }
            guard names.insert(FileName.key(file.name)).inserted else {
                throw ModelStoreError(
                    code: .invalidManifest, message: "\(manifest.name) has two files named \(file.name).")
            }
            let digest = file.sha256 ?? String(repeating: "0", count: 64)
            guard digest.count == 64, digest.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else {
                throw ModelStoreError(
                    code: .invalidManifest, message: "\(manifest.name) has a file whose SHA-256 digest is none.")
            }
        }
        guard !manifest.files.isEmpty, !manifest.name.isEmpty else {
            throw ModelStoreError(code: .invalidManifest, message: "\(manifest.name) has no files.")
        }
    }
}

extension ModelManifest {
    /// The manifest without secrets.
    var redacted: ModelManifest {
        var result = self
        if let url = URL(string: origin), url.scheme != nil { result.origin = url.redacted.absoluteString }
        for index in result.files.indices {
            result.files[index].sources = result.files[index].sources.map(\.redacted)
        }
        return result
    }
}

extension ModelSource {
    /// The source without secrets.
    var redacted: ModelSource {
        if case .web(let url) = self { .web(url.redacted) } else { self }
    }
}
