// SPDX-License-Identifier: Apache-2.0

/// A format of model files, by the ending of their names.
public struct ModelFormat: Hashable, Sendable, CustomStringConvertible {
    /// Its name, as messages write it.
    public let description: String
    /// The ending of its files, in lower case, without the dot.
    public let fileExtension: String

    /// Creates a format, for an engine that reads files of a kind of its own.
    public init(_ name: String, fileExtension: String) {
        description = name
        self.fileExtension = fileExtension.lowercased()
    }

    /// [GGUF](https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): all of a model in one file, or in a few parts.
    public static let gguf = ModelFormat("GGUF", fileExtension: "gguf")

    /// Whether a file is of this format, as its name says.
    public func isFormat(ofFileNamed name: String) -> Bool {
        name.lowercased().hasSuffix("." + fileExtension)
    }
}
