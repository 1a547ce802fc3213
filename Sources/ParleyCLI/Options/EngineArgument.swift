// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import ParleyLocal
import ParleyLocalEngines

extension EnginePreference: ExpressibleByArgument {
    /// Parses `automatic` or a name; whether this build has the engine is checked later.
    public init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self = argument == "automatic" ? .automatic : .named(argument)
    }

    /// Checks that this build has the engine.
    ///
    /// - Throws: `ValidationError` that lists the engines of this build.
    func validate() throws {
        let names = EngineDescriptor.builtIn.map(\.name)
        guard let name, !names.contains(name) else { return }
        let remedy = OptionalEngine.named(name)?.building ?? "There are: automatic, \(names.joined(separator: ", "))."
        throw ValidationError("This parley has no engine \(name). \(remedy)")
    }
}

/// An engine that is in a build with a package trait alone.
struct OptionalEngine: Sendable {
    let name: String
    let trait: String
    let script: String
    /// What it reads that the native engine does not, in a few words.
    let purpose: String

    static let all = [
        OptionalEngine(
            name: "llama.cpp", trait: "LlamaCpp", script: "scripts/install-llama-cpp",
            purpose: "GGUF of more architectures, GPUs, images"),
        OptionalEngine(
            name: "onnx", trait: "ONNX", script: "scripts/install-onnx", purpose: "folders of ONNX Runtime GenAI"),
    ]

    static func named(_ name: String) -> OptionalEngine? { all.first { $0.name == name } }

    /// How to build parley with it.
    var building: String {
        "Build with \(name): 'swift build -c release --traits \(trait)'; \(script) installs what that needs."
    }
}

extension EnginePreference {
    /// How to build with llama.cpp, for messages about features that only llama.cpp has.
    static var buildingLlamaCppIn: String { OptionalEngine.named("llama.cpp")?.building ?? "" }
}
