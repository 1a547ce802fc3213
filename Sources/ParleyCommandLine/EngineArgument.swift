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

    /// Checks that this build of a program has the engine.
    ///
    /// - Throws: `ValidationError` that lists the engines of this build.
    package func validate(in program: String = "parley") throws {
        let names = EngineDescriptor.builtIn.map(\.name)
        guard let name, !names.contains(name) else { return }
        let remedy = OptionalEngine.named(name)?.building ?? "There are: automatic, \(names.joined(separator: ", "))."
        throw ValidationError("This \(program) has no engine \(name). \(remedy)")
    }
}

extension CompletionKind {
    /// Completes the name of an engine of this build.
    package static let engine = CompletionKind.list(["automatic"] + EngineDescriptor.builtIn.map(\.name))
}

extension EnginePreference {
    /// How to build with llama.cpp, for messages about features that only llama.cpp has.
    package static var buildingLlamaCppIn: String { OptionalEngine.named("llama.cpp")?.building ?? "" }
}
