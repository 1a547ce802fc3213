// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile

/// An engine that is in a build with a package trait alone.
package struct OptionalEngine: Sendable {
    /// Its name.
    package let name: String
    /// The package trait that builds it in.
    package let trait: String
    /// What installs its library.
    package let script: String
    /// What it reads that the native engine does not, in a few words.
    package let purpose: String
    /// The form of the models that it alone reads, and what such a model is; nil if other engines read them too.
    package var ownForm: (format: ModelFormat, what: String)?

    /// The engines that this package knows besides its own.
    package static let all = [
        OptionalEngine(
            name: "llama.cpp", trait: "LlamaCpp", script: "scripts/install-llama-cpp",
            purpose: "GGUF of more architectures, GPUs, images"),
        OptionalEngine(
            name: "mlx", trait: "MLX", script: "scripts/install-mlx",
            purpose: "folders of Hugging Face, by MLX"),
        OptionalEngine(
            name: "onnx", trait: "ONNX", script: "scripts/install-onnx", purpose: "folders of ONNX Runtime GenAI",
            ownForm: (format: .onnx, what: "a folder of ONNX Runtime GenAI")),
        OptionalEngine(
            name: "executorch", trait: "ExecuTorch", script: "scripts/install-executorch",
            purpose: "folders exported for ExecuTorch",
            ownForm: (format: .execuTorch, what: "a folder of ExecuTorch")),
        OptionalEngine(
            name: "litert-lm", trait: "LiteRTLM", script: "scripts/install-litert-lm",
            purpose: "files of LiteRT-LM, in apps",
            ownForm: (format: .liteRTLM, what: "a file of LiteRT-LM")),
    ]

    /// The engine of that name; nil if none can be built in.
    package static func named(_ name: String) -> OptionalEngine? { all.first { $0.name == name } }

    /// Why an engine that is not in this build cannot be used, in words that also fit several.
    package static let absence = "This build has no such engine; docs/engines.md says how to add one."

    /// How to build parley with it.
    package var building: String {
        "Build with \(name): 'swift build -c release --traits \(trait)'; \(script) installs what that needs."
    }
}
