// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyBenchmark
import ParleyJSON
import ParleyTensor
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Measures one engine in a process of its own, by running `parley bench`.
struct EngineProcess: Sendable {
    /// The path of the model.
    let model: String
    /// The engine's name.
    let engine: String
    /// What to measure.
    let plan: BenchmarkPlan
    /// How the engine is to compute.
    let computing: ComputingOptions

    /// Runs the process to its end; where the engine fails or crashes the process, the run says so.
    func run() async throws -> EngineRun {
        guard let program = Bundle.main.executablePath else {
            throw CommandError("The system does not tell where this program stands. Compare one engine at a time.")
        }
        var arguments = ["bench", model, "--engines", engine, "--json", "--offline"]
        arguments += ["--repetitions", "\(plan.repetitions)", "--reply-tokens", "\(plan.replyTokens)"]
        if let threads = computing.threads { arguments += ["--threads", "\(threads)"] }
        if let isa = computing.isa { arguments += ["--isa", isa.rawValue] }
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), input: .none,
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 16))
        try Task.checkCancellation()
        let json = try? JSONValue(parsing: result.standardOutput)
        if let run = json?["engines"]?.array?.first.flatMap(EngineRun.init) { return run }
        let words = result.standardError.split(separator: "\n").last.map(String.init)
        return EngineRun(engine: engine, failure: words ?? "The process ended: \(result.terminationStatus).")
    }
}
