// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyHTTP
import ParleyModelFile

extension ModelResolver {
    /// The manifest for a model file on the web, or for the files that a LEAP manifest on the web names.
    func webManifest(_ url: URL, origin: String) async throws -> ModelManifest {
        guard url.pathExtension.lowercased() == "json" else {
            return ModelManifest(name: Self.name(of: url), origin: origin, files: try Self.parts(.weights, at: url))
        }
        let answer = try await client.answer(from: url, upTo: LEAPManifest.limit)
        guard answer.status == 200 else {
            let what = answer.status == 404 ? "There is no" : "The server does not send the"
            let isRefused = [401, 403].contains(answer.status)
            let remedy =
                isRefused ? DownloadTarget.credentialsRemedy(hasAny: url.user() != nil) : "Check the address."
            throw ModelStoreError(
                answer.status == 404 ? .notFound : isRefused ? .notAuthorized : .unreachable,
                "\(what) manifest \(url.redacted.absoluteString) (status \(answer.status)). \(remedy)")
        }
        return try manifest(answer.body, at: url, origin: origin)
    }

    /// The manifest for a model file on this machine, or for the files that a local LEAP manifest names.
    func fileManifest(_ url: URL) throws -> ModelManifest {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        guard exists, !isDirectory.boolValue || ModelFormat.directories.contains(where: { $0.isFormat(of: url) }) else {
            var error = ModelStoreError.noModel(at: url)
            if !exists, url.path.split(separator: "/").count > 1, url.pathExtension.isEmpty {
                error.message += "\nA model on the Hugging Face hub is written hf:OWNER/REPO."
            }
            throw error
        }
        let origin = url.absoluteString
        guard url.pathExtension.lowercased() == "json" else {
            return ModelManifest(
                name: Self.fileName(url.path), origin: origin, files: try Self.parts(.weights, at: url, isLocal: true))
        }
        let data: Data
        do {
            data = try WholeFile.beginning(of: url, limit: LEAPManifest.limit + 1).data
        } catch {
            throw ModelStoreError.unreadable(url, error)
        }
        return try manifest(data, at: url, origin: origin)
    }

    private func manifest(_ data: Data, at url: URL, origin: String) throws -> ModelManifest {
        let leap = try LEAPManifest(parsing: data, name: url.redacted.lastPathComponent)
        var files: [ManifestFile] = []
        for (role, location) in leap.files {
            guard let place = Self.place(location, relativeTo: url) else {
                throw ModelStoreError(
                    .invalidManifest,
                    "The manifest \(url.redacted.lastPathComponent) names “\(location.prefix(200))”, which is "
                        + "neither an address nor a path.")
            }
            if !url.isFileURL, let refusal = url.refusal(ofSendingTo: place) {
                throw ModelStoreError(
                    .invalidManifest,
                    "The manifest \(url.redacted.absoluteString) \(refusal): "
                        + "\(place.redacted.absoluteString).")
            }
            files += try Self.parts(role, at: place, isLocal: place.isFileURL)
        }
        return ModelManifest(
            name: Self.name(of: url), origin: origin, files: files, sampling: leap.sampling,
            chatTemplate: leap.chatTemplate)
    }

    /// The name in the store of a model from an address: long enough to distinguish it from models at other addresses.
    private static func name(of url: URL) -> String {
        let path = url.path(percentEncoded: false)
        return (url.host() ?? "") + path
    }

    /// Resolves a location in a manifest. A manifest from the web must not name files on this machine.
    private static func place(_ location: String, relativeTo manifest: URL) -> URL? {
        guard !location.isEmpty, location.utf8.count <= ModelReference.longest else { return nil }
        if let url = URL(string: location), let scheme = url.scheme?.lowercased() {
            switch scheme {
            case "http", "https": return url.host() == nil ? nil : url
            case "file": return manifest.isFileURL ? URL(filePath: url.path, directoryHint: .notDirectory) : nil
            default: return nil
            }
        }
        if manifest.isFileURL {
            let directory = manifest.deletingLastPathComponent()
            return URL(filePath: location, directoryHint: .notDirectory, relativeTo: directory).standardizedFileURL
        }
        // Escaped as a path, so that colons and question marks are not taken for a scheme or a query.
        let escaped = location.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? location
        return URL(string: escaped.hasPrefix("/") ? escaped : "./" + escaped, relativeTo: manifest)?.absoluteURL
    }

    /// The file at an address, or all parts if it is a part of a split file.
    private static func parts(_ role: ManifestFile.Role, at url: URL, isLocal: Bool = false) throws -> [ManifestFile] {
        let name = url.lastPathComponent
        guard let split = SplitName(name) else { return [file(role, at: url, isLocal)] }
        guard split.count < ModelManifest.mostFiles else {
            throw ModelStoreError(
                .invalidManifest,
                "\(name.prefix(200)) claims to be one of \(split.count) parts, more than any model has.")
        }
        return split.all.map { file(role, at: sibling(of: url, named: $0), isLocal) }
    }

    /// The address of a file in the same folder, with the same query.
    private static func sibling(of url: URL, named name: String) -> URL {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let escaped = name.addingPercentEncoding(
                withAllowedCharacters: .urlPathAllowed.subtracting(CharacterSet(charactersIn: "/")))
        else { return url }
        // What is escaped in the path stays so: an escaped slash is no separator.
        let path = components.percentEncodedPath
        guard let slash = path.lastIndex(of: "/") else { return url }
        components.percentEncodedPath = String(path[...slash]) + escaped
        return components.url ?? url
    }

    private static func file(_ role: ManifestFile.Role, at url: URL, _ isLocal: Bool) -> ManifestFile {
        ManifestFile(
            role: role, name: fileName(url.path), byteCount: isLocal ? RegularFile.size(of: url) : nil,
            sources: [.web(url)])
    }
}
