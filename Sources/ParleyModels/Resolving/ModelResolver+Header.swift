// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
public import ParleyModelFile
import ParleySystem

extension ModelResolver {
    /// Opens a model on the web by its header alone; its weights are not there to be read.
    ///
    /// The beginning of each file is asked for, more of it until the header is whole. What is kept of it in memory is the
    /// header; what the server says of the file's length costs nothing.
    ///
    /// - Throws: ``ModelStoreError``, also where the server sends no parts of files; `ModelFileError`;
    ///   `CancellationError`.
    public func header(of manifest: ModelManifest) async throws -> GGUFFile {
        if let file = manifest.localFile { return try GGUFFile(contentsOf: file) }
        let files = manifest.files.filter { $0.role == .weights }
        guard let first = files.first, files.count <= ModelManifest.mostFiles else {
            throw ModelStoreError(code: .notFound, message: "\(manifest.name) has no file to read.")
        }
        var beginnings: [(bytes: ArraySlice<UInt8>, size: ByteSize)] = []
        var byteCount = 0
        for file in files {
            let beginning = try await header(of: file)
            byteCount += beginning.bytes.count
            guard byteCount <= Self.longestHeaders else { throw Self.tooLong(file) }
            beginnings.append(beginning)
        }
        return try GGUFFile(beginnings: beginnings, name: first.name)
    }

    /// How much is asked for, one after the other: vocabularies make headers of 2 to 20 MB.
    private static let lengths = [4 << 20, 16 << 20, 64 << 20]
    /// The most that the headers of all parts may have.
    private static let longestHeaders = 128 << 20

    private static func tooLong(_ file: ManifestFile) -> ModelStoreError {
        ModelStoreError(
            code: .unreachable,
            message: "The header of \(file.name) is too long to be read from afar. Pull the model first.")
    }

    /// The header of a file, without what follows it, and the length of the file.
    private func header(of file: ManifestFile) async throws -> (bytes: ArraySlice<UInt8>, size: ByteSize) {
        for length in Self.lengths {
            let (bytes, size) = try await beginning(of: file, length: length)
            if let end = try GGUFFile.headerLength(in: bytes[...], of: size, name: file.name) {
                return (Array(bytes.prefix(end))[...], size)
            }
        }
        throw Self.tooLong(file)
    }

    private func beginning(of file: ManifestFile, length: Int) async throws -> (bytes: [UInt8], size: ByteSize) {
        guard case .web(let url)? = file.sources.first else {
            throw ModelStoreError(
                code: .unreachable, message: "\(file.name) cannot be read in part. Pull the model first.")
        }
        let answer = try await client.answer(
            from: url, headers: ["Range": "bytes=0-\(length - 1)"], upTo: length)
        let response = DownloadResponse(status: answer.status, headers: answer.headers)
        let size: ByteSize? =
            switch answer.status {
            case 200: ByteSize(clamping: answer.body.count)
            case 206 where answer.headers["content-range"] == nil: file.byteCount
            case 206 where response.range?.lowerBound == 0: response.totalByteCount ?? file.byteCount
            default: nil
            }
        guard let size, size > .zero else {
            throw ModelStoreError(
                code: [401, 403].contains(answer.status) ? .notAuthorized : .unreachable,
                message: "\(url.host() ?? "The server") did not send the beginning of \(file.name) (status "
                    + "\(answer.status)). Pull the model first.")
        }
        return (Array(answer.body.prefix(length)), size)
    }
}
