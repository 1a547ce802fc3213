// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyModelFile
import ParleySystem

/// The result of checking a model.
public struct Verification: Sendable, Hashable {
    /// The name of the model.
    public var name: String
    /// The faults found, one sentence for each damaged file; empty for a sound model.
    public var faults: [String]

    /// Whether nothing is wrong.
    public var isSound: Bool { faults.isEmpty }
}

extension ModelStore {
    /// Reads all files of a model, compares sizes and digests with the manifest, and checks the structure of model
    /// files.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - progress: called with the number of bytes read so far and their total.
    /// - Returns: the faults found. A damaged model is not an error of this function.
    /// - Throws: `CancellationError`.
    public func verify(
        _ model: InstalledModel, progress: (_ read: Int64, _ of: Int64) -> Void = { _, _ in }
    ) throws -> Verification {
        var faults: [String] = []
        var done = ByteSize.zero
        for file in model.manifest.files {
            let base = done
            let fault = try fault(in: file, of: model) { read in
                progress((base + ByteSize(clamping: read)).bytes, model.byteCount.bytes)
            }
            if let fault { faults.append(fault) }
            done += file.byteCount ?? .zero
        }
        if faults.isEmpty, model.manifest.isFolder, let fault = structuralFault(of: model.url, name: model.name) {
            faults.append(fault)
        }
        // The model may have been replaced in the meantime.
        if !faults.isEmpty, let now = self.model(named: model.name), now.manifest != model.manifest {
            return try verify(now, progress: progress)
        }
        return Verification(name: model.name, faults: faults)
    }

    /// The path that a link points to, whether it exists or not.
    static func destination(of link: URL) -> String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: link.path)) ?? link.path
    }

    private func fault(in file: ManifestFile, of model: InstalledModel, progress: (Int64) -> Void) throws -> String? {
        let url = model.url(of: file.name)
        let target = url.resolvingSymlinksInPath()
        guard let size = RegularFile.ownSize(of: target) else {
            return model.references.contains(file.name)
                ? "\(file.name) is no longer at \(Self.destination(of: url))." : "\(file.name) is missing."
        }
        if let expected = file.byteCount, expected != size {
            return "\(file.name) has \(size.bytes) bytes, not \(expected.bytes)."
        }
        do {
            if try sha256(of: target, progress: progress) != file.sha256 {
                return "\(file.name) has changed: its SHA-256 digest is wrong."
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            return "\(file.name) cannot be read."
        }
        // Of single files, only GGUF files have a structure that can be checked.
        return ModelFormat.gguf.isFormat(ofFileNamed: file.name) ? structuralFault(of: url, name: file.name) : nil
    }

    /// Throws where a file is not a complete model file, whatever its name.
    ///
    /// - Parameters:
    ///   - url: the file, or the folder.
    ///   - name: its name for messages.
    ///   - deed: what was going to be done with it.
    /// - Throws: ``ModelStoreError`` with code `damagedFile`.
    func requireModel(_ url: URL, name: String, toBe deed: String = "used") throws {
        guard let fault = structuralFault(of: url, name: name) else { return }
        let reason = fault.hasPrefix("\(name): ") ? String(fault.dropFirst(name.count + 2)) : fault
        throw ModelStoreError(.damagedFile, "\(name) cannot be \(deed): \(reason)")
    }
}

/// Why a file is not a complete model file; nil where it is one.
///
/// Reads the header and checks all offsets in it against the file's length, so that truncated files are found.
private func structuralFault(of url: URL, name: String) -> String? {
    do {
        _ = try GGUFFile(contentsOf: url)
        return nil
    } catch {
        // The file may still have a temporary name, which would mean nothing to the reader of the message.
        return error.message.replacing(url.path, with: name).replacing(url.lastPathComponent, with: name)
    }
}
