// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A format of models: files recognised by their extension, or directories recognised by a file in them.
public struct ModelFormat: Hashable, Sendable, CustomStringConvertible {
    /// The format's name, as used in messages.
    public let description: String
    /// The extension of its files, in lower case and without the dot; empty for directories.
    public let fileExtension: String
    /// The name of a file that every directory of the format contains; nil if a model is a file.
    public let directoryFile: String?

    /// Creates a format of files, for an engine that reads its own kind of file.
    public init(_ name: String, fileExtension: String) {
        description = name
        self.fileExtension = fileExtension.lowercased()
        directoryFile = nil
    }

    /// Creates a format of directories that contain a certain file, such as `config.json`.
    public init(_ name: String, directoryWith file: String) {
        description = name
        fileExtension = ""
        directoryFile = file
    }

    /// [GGUF](https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), which stores a model in one file or a few
    /// parts.
    public static let gguf = ModelFormat("GGUF", fileExtension: "gguf")

    /// A folder in the form of Hugging Face's `transformers`: `config.json`, the weights as safetensors, and
    /// `tokenizer.json`.
    public static let huggingFace = ModelFormat("Hugging Face", directoryWith: "config.json")

    /// A folder in the form of [ONNX Runtime GenAI](https://github.com/microsoft/onnxruntime-genai):
    /// `genai_config.json`, the network as ONNX, and `tokenizer.json`.
    public static let onnx = ModelFormat("ONNX Runtime GenAI", directoryWith: "genai_config.json")

    /// A folder with a network exported for [ExecuTorch](https://github.com/pytorch/executorch): `model.pte`, and
    /// `config.json`, `tokenizer.json` and the chat template of its original.
    public static let execuTorch = ModelFormat("ExecuTorch", directoryWith: "model.pte")

    /// A folder with a network compiled for [Core ML](https://developer.apple.com/documentation/coreml):
    /// `model.mlmodelc`, and `config.json`, `tokenizer.json` and the chat template of its original.
    public static let coreML = ModelFormat("Core ML", directoryWith: "model.mlmodelc")

    /// A file of [LiteRT-LM](https://github.com/google-ai-edge/LiteRT-LM), which has the network, the tokenizer and the
    /// template.
    public static let liteRTLM = ModelFormat("LiteRT-LM", fileExtension: "litertlm")

    /// The formats whose models are directories.
    package static let directories = [huggingFace, onnx, execuTorch, coreML]

    /// Whether a file is of this format, judging by its name, or a directory, judging by its contents.
    public func isFormat(of url: URL) -> Bool {
        guard let directoryFile else { return isFormat(ofFileNamed: url.lastPathComponent) }
        return FileManager.default.fileExists(atPath: url.appending(path: directoryFile).path)
    }

    /// The format as described in messages, such as `.gguf` or `a directory with config.json`.
    package var spelling: String {
        directoryFile.map { "a directory with \($0)" } ?? ".\(fileExtension)"
    }

    /// Whether a file is of this format, judging by its name.
    public func isFormat(ofFileNamed name: String) -> Bool {
        directoryFile == nil && name.lowercased().hasSuffix("." + fileExtension)
    }
}
