// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HTTPTypes
import ParleyFiles
import ParleyOpenAI
import ParleyServer

/// The files of the page, under a name that changes with their content, so that browsers may keep them for ever.
package struct PageFiles: Sendable {
    /// The file that the address of the server leads to.
    private static let index = "index.html"

    private let files: [String: [UInt8]]
    /// Tells these files from others.
    package let version: String

    /// The files that are built into the program.
    package static let builtIn = PageFiles(
        Dictionary(pageContents.map { ($0.path, Array($0.text.utf8)) }) { first, _ in first })

    /// The files of a folder, for those who write the page: each is read once.
    ///
    /// - Throws: an error of the file system.
    package init(folder: URL) throws {
        var files: [String: [UInt8]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where Self.type(of: path) != nil {
            files[path] = Array(try Data(contentsOf: folder.appending(path: path)))
        }
        self.init(files)
    }

    private init(_ files: [String: [UInt8]]) {
        var whole: [UInt8] = []
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) { whole += Array(path.utf8) + [0] + bytes + [0] }
        let version = String(SHA256Hash.hexadecimal(of: Data(whole)).prefix(16))
        self.version = version
        var files = files
        if let index = files[Self.index] {
            // Only this file names others by their place; they name each other by where they lie.
            let text = String(decoding: index, as: UTF8.self).replacing("\"./", with: "\"/page/\(version)/")
            files[Self.index] = Array(text.utf8)
        }
        self.files = files
    }

    /// Answers a request for a file.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 404 if there is none.
    func answer(_ request: PageRequest) throws(ServerError) -> PageAnswer {
        let isIndex = request.path.isEmpty
        let parts = request.path.split(separator: "/", maxSplits: 1)
        let path = isIndex ? Self.index : parts.count == 2 && parts[0] == version ? String(parts[1]) : ""
        guard let bytes = files[path], let type = Self.type(of: path) else {
            throw ServerError(404, .notFound, "The page has no such file. Reload it.")
        }
        let tag = "\"\(version)\""
        let fields: HTTPFields = [
            .eTag: tag, .cacheControl: isIndex ? "no-cache" : "public, max-age=31536000, immutable",
        ]
        if request.knownTag == tag { return .unchanged(fields: fields) }
        return .bytes(bytes, type: type, fields: fields)
    }

    private static func type(of path: String) -> String? {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "webmanifest": "application/manifest+json"
        default: nil
        }
    }
}
