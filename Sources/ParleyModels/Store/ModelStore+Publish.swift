// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyHTTP
import ParleyModelFile

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ModelStore {
    /// Makes a model of complete files visible under its name, in one step, replacing an earlier model of that name.
    ///
    /// The caller must hold the model's lock.
    ///
    /// - Parameters:
    ///   - manifest: the model; its files have digests.
    ///   - references: the files outside the store that are referred to, by their names in the manifest.
    /// - Throws: ``ModelStoreError``.
    func publish(_ manifest: ModelManifest, references: [String: URL] = [:]) throws {
        let scratch = layout.scratch()
        defer { try? FileManager.default.removeItem(at: scratch) }
        try ModelStoreError.storing("write", layout.entries) {
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: false)
            // Links are relative to the model's final directory.
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
        // The parts of a split file can be checked only once all of them are in the same directory.
        var stems: Set<String> = []
        for file in manifest.files {
            guard let split = SplitName(file.name), stems.insert(split.stem).inserted else { continue }
            try requireModel(scratch.appending(path: file.name), name: file.name)
        }
        if manifest.isFolder { try requireModel(scratch, name: manifest.name) }
        try reveal(scratch, as: manifest.name)
    }

    /// Renames a model's directory to its final name.
    ///
    /// Not every system can exchange two directories atomically. An earlier model of that name is therefore renamed
    /// first, to a name under which it is still found, until the new directory has its name. Whatever fails in between,
    /// one of the two is found.
    private func reveal(_ scratch: URL, as name: String) throws {
        let destination = layout.entry(name)
        let replaced = layout.replaced(StoreLayout.entryName(of: name))
        defer { WholeFile.flushDirectory(layout.entries) }
        if move(scratch, destination) != 0 {
            let fault = ModelStoreError.system("write", destination, errno)
            guard (try? destination.checkResourceIsReachable()) == true else { throw fault }
            // A model has the name, so what an interrupted replacement has left is not needed.
            try? FileManager.default.removeItem(at: replaced)
            guard move(destination, replaced) == 0 else { throw fault }
            guard move(scratch, destination) == 0 else {
                let fault = ModelStoreError.system("write", destination, errno)
                // If this fails too, the earlier model is still found under its other name.
                _ = move(replaced, destination)
                throw fault
            }
        }
        WholeFile.flushDirectory(layout.entries)
        try? FileManager.default.removeItem(at: replaced)
    }

    /// Checks that an imported model can be found by its name, and is not taken for one from elsewhere.
    func checkImportedName(_ name: String) throws {
        let shown = "The name \(String(reflecting: String(name.prefix(80))))"
        let fault: String? =
            if name.allSatisfy(\.isWhitespace) {
                "The model's name is empty."
            } else if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                "\(shown) contains control characters."
            } else if name.lowercased().hasPrefix("hf:") {
                "\(shown) begins with hf:, as those of models on the Hugging Face hub do."
            } else if name.contains("/") {
                "\(shown) contains a slash, so that it would be taken for a path."
            } else if name.first?.isWhitespace == true || name.last?.isWhitespace == true {
                "\(shown) begins or ends with a space."
            } else if SpeechCatalog.builtIn[name.lowercased()] != nil || name == SpeechCatalog.voiceActivityName {
                "\(shown) is that of a model of the catalog of speech."
            } else if (try? ModelReference(parsing: name)) == nil {
                "\(shown) is none that a model can be asked for by."
            } else {
                nil
            }
        if let fault { throw ModelStoreError(.invalidReference, "\(fault) Give it another one with --name.") }
    }

    /// Checks that the files of a manifest can be stored in one directory: their number, names and digests.
    func check(_ manifest: ModelManifest) throws {
        guard manifest.files.count <= ModelManifest.mostFiles else {
            throw ModelStoreError(
                .invalidManifest,
                "\(manifest.name) has \(manifest.files.count) files, which is more than the maximum of \(ModelManifest.mostFiles)."
            )
        }
        var names: Set<String> = []
        for file in manifest.files {
            if let fault = StoreLayout.fault(inFileName: file.name) {
                throw ModelStoreError(
                    .invalidManifest,
                    "\(manifest.name) has a file whose name cannot be used: \(fault).")
            }
            guard names.insert(FileName.key(file.name)).inserted else {
                throw ModelStoreError(
                    .invalidManifest, "\(manifest.name) has two files named \(file.name).")
            }
            let digest = file.sha256 ?? String(repeating: "0", count: 64)
            guard digest.count == 64, digest.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else {
                throw ModelStoreError(
                    .invalidManifest, "\(manifest.name) has a file whose SHA-256 digest is not valid.")
            }
        }
        guard !manifest.name.isEmpty else { throw ModelStoreError(.invalidManifest, "The model has no name.") }
        guard !manifest.files.isEmpty else {
            throw ModelStoreError(.invalidManifest, "\(manifest.name) has no files.")
        }
    }
}

extension ModelManifest {
    /// The manifest without credentials.
    var redacted: ModelManifest {
        var result = self
        if let url = URL(string: origin), url.scheme != nil { result.origin = url.redacted.absoluteString }
        for index in result.files.indices {
            result.files[index].sources = result.files[index].sources.map(\.redacted)
            result.files[index].delivered = result.files[index].delivered?.redacted
        }
        return result
    }
}

extension ModelSource {
    /// The source without credentials.
    var redacted: ModelSource {
        if case .web(let url) = self { .web(url.redacted) } else { self }
    }
}
