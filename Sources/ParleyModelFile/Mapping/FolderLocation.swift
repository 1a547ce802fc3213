// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where the files of a folder are.
package enum FolderLocation: Sendable {
    /// In a directory.
    case directory(URL)
    /// In memory, by their names: of the weights only the beginnings, which have the headers.
    case beginnings([String: FileBytes], name: String)

    /// The path, or the name, for messages.
    package var name: String {
        switch self {
        case .directory(let url): url.path
        case .beginnings(_, let name): name
        }
    }

    /// The last part of the path or name.
    var label: String {
        switch self {
        case .directory(let url): url.standardizedFileURL.lastPathComponent
        case .beginnings(_, let name): name.split(separator: "/").last.map(String.init) ?? name
        }
    }

    /// Opens a file; nil if there is none of that name.
    func file(_ fileName: String) throws(ModelFileError) -> FileBytes? {
        switch self {
        case .directory(let url):
            let path = url.appending(path: fileName).path
            return FileManager.default.fileExists(atPath: path) ? try FileBytes(path: path) : nil
        case .beginnings(let files, _): return files[fileName]
        }
    }
}
