// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
public import ParleyModelFile
import ParleySystem

extension ModelResolver {
    /// Reads only the header of a model on the web. The result does not contain the weights.
    ///
    /// Requests the beginning of each file, and more of it until the header is complete. Only the header is kept in
    /// memory. Of a folder in the form of Hugging Face the files beside the weights are requested whole.
    ///
    /// - Throws: ``ModelStoreError``, also where the server does not support ranges; `ModelFileError`;
    ///   `CancellationError`.
    public func header(of manifest: ModelManifest) async throws -> GGUFFile {
        if let file = manifest.localFile { return try GGUFFile(contentsOf: file) }
        if manifest.files.contains(where: { $0.role == .folder }) { return try await folderHeader(of: manifest) }
        let files = manifest.files.filter { $0.role == .weights }
        guard let first = files.first, files.count <= ModelManifest.mostFiles else {
            throw ModelStoreError(.notFound, "\(manifest.name) has no file to read.")
        }
        var beginnings: [(bytes: ArraySlice<UInt8>, size: ByteSize)] = []
        var byteCount = 0
        let client = client.limited(to: limit * 5)
        for file in files {
            let beginning = try await header(of: file, client)
            byteCount += beginning.bytes.count
            guard byteCount <= Self.longestHeaders else { throw Self.tooLong(file) }
            beginnings.append(beginning)
        }
        return try GGUFFile(beginnings: beginnings, name: first.name)
    }

    /// The numbers of bytes that are requested, one after another, until the header is complete. Large vocabularies
    /// make headers of 2 to 20 MB.
    private static let lengths = [4 << 20, 16 << 20, 64 << 20]
    /// The maximum length of the headers of all parts together, in bytes.
    private static let longestHeaders = 128 << 20

    private static func tooLong(_ file: ManifestFile) -> ModelStoreError {
        ModelStoreError(
            .unreachable,
            "The header of \(file.name) is too long to be read over the network. Pull the model first.")
    }

    /// The beginning of a file up to the end of its header, and the length of the file.
    private func header(
        of file: ManifestFile, _ client: HubClient
    ) async throws -> (bytes: ArraySlice<UInt8>, size: ByteSize) {
        for length in Self.lengths {
            let (bytes, size) = try await beginning(of: file, length: length, client)
            if let end = try GGUFFile.headerLength(in: bytes[...], of: size, name: file.name) {
                return (Array(bytes.prefix(end))[...], size)
            }
        }
        throw Self.tooLong(file)
    }

    /// Reads a folder's descriptions, and the headers of its weights.
    private func folderHeader(of manifest: ModelManifest) async throws -> GGUFFile {
        let client = client.limited(to: limit * 5)
        var files: [String: FileBytes] = [:]
        var byteCount = 0
        for file in manifest.files where file.role == .folder {
            let isWeights = file.name.hasSuffix(".safetensors")
            var (bytes, size) = try await beginning(
                of: file, length: isWeights ? Self.usualHeader : Self.longestDocument, client)
            if isWeights {
                let length = try SafetensorsFile.headerLength(in: bytes, name: file.name)
                if length > bytes.count { (bytes, size) = try await beginning(of: file, length: length, client) }
                bytes = Array(bytes.prefix(length))
            } else if size.count > bytes.count {
                throw Self.tooLong(file)
            }
            byteCount += bytes.count
            guard byteCount <= Self.longestHeaders else { throw Self.tooLong(file) }
            files[file.name] = FileBytes(bytes[...], of: size, name: file.name)
        }
        return try GGUFFile(folder: files, name: manifest.name)
    }

    /// The number of bytes that are requested for the header of weights at first; most have less.
    private static let usualHeader = 1 << 20
    /// The longest description; `tokenizer.json` of large vocabularies has 35 MB.
    private static let longestDocument = 64 << 20

    private func beginning(
        of file: ManifestFile, length: Int, _ client: HubClient
    ) async throws -> (bytes: [UInt8], size: ByteSize) {
        guard case .web(let url)? = file.sources.first else {
            throw ModelStoreError(
                .unreachable,
                "Parts of \(file.name) cannot be requested from its source. Pull the model first.")
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
                [401, 403].contains(answer.status) ? .notAuthorized : .unreachable,
                "\(url.host() ?? "The server") did not send the beginning of \(file.name) (status "
                    + "\(answer.status)). Pull the model first.")
        }
        return (Array(answer.body.prefix(length)), size)
    }
}
