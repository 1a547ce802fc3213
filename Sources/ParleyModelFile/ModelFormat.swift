// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A format of models: files, known by the ending of their names, or directories, known by a file in them.
public struct ModelFormat: Hashable, Sendable, CustomStringConvertible {
    /// Its name, as messages write it.
    public let description: String
    /// The ending of its files, in lower case, without the dot; empty for directories.
    public let fileExtension: String
    /// The name of a file that every directory of the format has; nil where a model is a file.
    public let directoryFile: String?

    /// Creates a format, for an engine that reads files of a kind of its own.
    public init(_ name: String, fileExtension: String) {
        description = name
        self.fileExtension = fileExtension.lowercased()
        directoryFile = nil
    }

    /// Creates a format of directories that have a certain file, such as `config.json`.
    public init(_ name: String, directoryWith file: String) {
        description = name
        fileExtension = ""
        directoryFile = file
    }

    /// [GGUF](https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): all of a model in one file, or in a few parts.
    public static let gguf = ModelFormat("GGUF", fileExtension: "gguf")

    /// Whether a file is of this format by its name, or a directory by what it has.
    public func isFormat(of url: URL) -> Bool {
        guard let directoryFile else { return isFormat(ofFileNamed: url.lastPathComponent) }
        return FileManager.default.fileExists(atPath: url.appending(path: directoryFile).path)
    }

    /// How messages say what is read: `.gguf`, or `a directory with config.json`.
    package var spelling: String {
        directoryFile.map { "a directory with \($0)" } ?? ".\(fileExtension)"
    }

    /// Whether a file is of this format, as its name says.
    public func isFormat(ofFileNamed name: String) -> Bool {
        directoryFile == nil && name.lowercased().hasSuffix("." + fileExtension)
    }
}
