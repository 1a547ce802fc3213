// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyBenchmark
import ParleyCommandLine
import ParleyJSON
import ParleyTensor
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Measures one engine in a process of its own, by running `parley bench`.
package struct EngineProcess: Sendable {
    /// The path of the model.
    let model: String
    /// The engine's name.
    let engine: String
    /// What to measure.
    let plan: BenchmarkPlan
    /// The options for threads and instruction set.
    let computing: ComputingOptions
    /// The options for the cache.
    let cache: CacheOptions

    /// Runs the process to its end. A failure or crash of the engine is recorded in the result.
    func run() async throws -> EngineRun {
        guard let program = Bundle.main.executablePath else {
            throw CommandError("The path of this program cannot be determined. Compare one engine at a time.")
        }
        var arguments = ["bench", model, "--engines", engine, "--json", "--offline"]
        arguments += ["--repetitions", "\(plan.repetitions)", "--reply-tokens", "\(plan.replyTokens)"]
        arguments += ["--prompts", plan.prompts.map(String.init).joined(separator: ",")]
        arguments += computing.arguments + cache.arguments
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), input: .none,
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 16))
        try Task.checkCancellation()
        let json = try? JSONValue(parsing: result.standardOutput)
        if let run = json?["engines"]?.array?.first.flatMap(EngineRun.init) { return run }
        let failure =
            Self.failure(in: result.standardError) ?? "The process ended with status \(result.terminationStatus)."
        return EngineRun(engine: engine, failure: failure)
    }

    /// Why a process of this program failed: the last error that it told on standard error, in one line and without the
    /// program's name, or else its last line; nil if there is none.
    package static func failure(in errors: String) -> String? {
        let name = "parley: "
        let lines = errors.split(separator: "\n")
        guard let start = lines.lastIndex(where: { $0.hasPrefix(name) }) else { return lines.last.map(String.init) }
        return String(lines[start...].joined(separator: " ").dropFirst(name.count))
    }
}
