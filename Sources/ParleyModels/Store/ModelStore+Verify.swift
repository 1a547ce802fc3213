// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleySystem

/// What checking a model has found.
public struct Verification: Sendable, Hashable {
    /// The name of the model.
    public var name: String
    /// What is wrong with it, a sentence for each file; empty for a sound one.
    public var faults: [String]

    /// Whether nothing is wrong.
    public var isSound: Bool { faults.isEmpty }
}

extension ModelStore {
    /// Reads all files of a model again: compares sizes and digests with what they should be, and checks the structure
    /// of model files.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - progress: told how many bytes of how many were read.
    /// - Returns: what is wrong with the model, if anything; that is not an error.
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
        return Verification(name: model.name, faults: faults)
    }

    /// Where a link points to, whether there is anything or not.
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
        // Files of other kinds are kept by their digests alone.
        return ModelFormat.gguf.isFormat(ofFileNamed: file.name) ? structuralFault(of: url, name: file.name) : nil
    }

    /// Refuses a file that is no model, or not a whole one, whatever its name.
    func requireModel(_ url: URL, name: String) throws {
        guard let fault = structuralFault(of: url, name: name) else { return }
        throw ModelStoreError(code: .damagedFile, message: "\(name) is not a whole model file. \(fault)")
    }
}

/// What is wrong with a file as a model file; nil where nothing is.
///
/// The header is read and every place in it checked against the file's length, so a part of a file is found out.
private func structuralFault(of url: URL, name: String) -> String? {
    do {
        _ = try GGUFFile(contentsOf: url)
        return nil
    } catch {
        // The file may still have another name, which would mean nothing to the reader of the message.
        return error.message.replacing(url.path, with: name).replacing(url.lastPathComponent, with: name)
    }
}
