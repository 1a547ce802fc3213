// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ParleyModelFile

extension ModelResolver {
    /// Opens a model on the web by its header alone; its weights are not there to be read.
    ///
    /// The beginning of each file is asked for, more of it until the header is whole, and put into a file of the full
    /// size that has nothing else in it and no name any more.
    ///
    /// - Throws: ``ModelStoreError``, also where the server sends no parts of files; `ModelFileError`;
    ///   `CancellationError`.
    public func header(of manifest: ModelManifest) async throws -> GGUFFile {
        if let file = manifest.localFile { return try GGUFFile(contentsOf: file) }
        let directory = FileManager.default.temporaryDirectory.appending(path: "parley-header-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let files = manifest.files.filter { $0.role == .model }
        guard let first = files.first else {
            throw ModelStoreError(code: .notFound, message: "\(manifest.name) has no file to read.")
        }
        try create(directory)
        var failure: (any Error)?
        for length in Self.lengths {
            for file in files { try await fetchBeginning(of: file, length: length, into: directory) }
            do {
                let file = try GGUFFile(contentsOf: directory.appending(path: first.name))
                // Beyond what was fetched there are only zeros, which would be read as empty names.
                let start = file.tensors.map(\.byteRange.lowerBound).min() ?? length
                if start <= length { return file }
            } catch {
                failure = error
            }
        }
        throw failure
            ?? ModelStoreError(
                code: .unreachable,
                message: "The header of \(manifest.name) is too long to be read from afar. Pull the model first.")
    }

    /// How much is asked for, one after the other: vocabularies make headers of 2 to 20 MB.
    private static let lengths = [4 << 20, 16 << 20, 64 << 20]

    private func create(_ directory: URL) throws {
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw ModelStoreError(
                code: .storageFailed, message: "Cannot create \(directory.path). Check TMPDIR.", cause: error)
        }
    }

    private func fetchBeginning(of file: ManifestFile, length: Int, into directory: URL) async throws {
        guard case .web(let url)? = file.sources.first else {
            throw ModelStoreError(
                code: .unreachable, message: "\(file.name) cannot be read in part. Pull the model first.")
        }
        var headers = hub.headers(for: url)
        headers["Range"] = "bytes=0-\(length - 1)"
        let answer = try await reader.answer(to: WebRequest(url, headers: headers, limit: length))
        let range = answer.header("Content-Range")?.split(separator: "/").last.flatMap { Int64($0) }
        guard answer.status == 206 || answer.status == 200,
            let size = range ?? file.byteCount ?? (answer.status == 200 ? Int64(answer.body.count) : nil), size > 0
        else {
            throw ModelStoreError(
                code: [401, 403].contains(answer.status) ? .notAuthorized : .unreachable,
                message: "\(url.host() ?? "The server") did not send the beginning of \(file.name) (status "
                    + "\(answer.status)). Pull the model first.")
        }
        let place = directory.appending(path: Self.fileName(file.name))
        do {
            try answer.body.write(to: place)
            let handle = try FileHandle(forWritingTo: place)
            try handle.truncate(atOffset: UInt64(size))
            try handle.close()
        } catch {
            throw ModelStoreError(
                code: .storageFailed, message: "Cannot write \(place.path). Check TMPDIR.", cause: error)
        }
    }
}
