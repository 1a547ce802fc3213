// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import ParleyLocal
import ParleyLocalEngines

extension EnginePreference: ExpressibleByArgument {
    /// Reads `automatic` or a name; whether there is such an engine is checked later.
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
        let remedy =
            name == "llama.cpp" ? Self.buildingLlamaCppIn : "There are: automatic, \(names.joined(separator: ", "))."
        throw ValidationError("This parley has no engine \(name). \(remedy)")
    }

    /// How to build with llama.cpp, where only it can do what was asked.
    static let buildingLlamaCppIn =
        "Build llama.cpp in with 'swift build -c release --traits LlamaCpp'; scripts/install-llama-cpp has what that needs."
}
