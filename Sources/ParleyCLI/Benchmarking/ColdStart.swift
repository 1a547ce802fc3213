// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyBenchmark
import ParleyCommandLine
import ParleyLocal
import ParleyTensor
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Measures the time from the start of a process to the first token of an answer, by running `parley run`.
struct ColdStart: Sendable {
    /// The path of the model.
    let model: String
    /// The options for threads and instruction set.
    let computing: ComputingOptions
    /// The options for the cache.
    let cache: CacheOptions

    private static let prompt = "What is the capital of France?"

    /// Measures in seconds. The first run, which reads the file into the system's cache, is not counted.
    func measure(repetitions: Int) async throws -> Samples {
        var times: [Double] = []
        for repetition in 0...repetitions {
            let time = try await run()
            if repetition > 0 { times.append(time / .seconds(1)) }
        }
        return Samples(times)
    }

    private func run() async throws -> Duration {
        guard let program = Bundle.main.executablePath else {
            throw CommandError("The path of this program cannot be determined. Try --no-cold-start.")
        }
        var arguments = ["run", model, Self.prompt, "--max-tokens", "1", "--temperature", "0", "--offline"]
        arguments += computing.arguments + cache.arguments
        let start = ContinuousClock.now
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), input: .none, output: .sequence,
            error: .string(limit: 1 << 16)
        ) { execution in
            var first: Duration?
            for try await _ in execution.standardOutput where first == nil {
                first = start.duration(to: .now)
            }
            return first
        }
        try Task.checkCancellation()
        guard result.terminationStatus.isSuccess, let time = result.closureResult else {
            throw CommandError(EngineProcess.failure(in: result.standardError) ?? "The model generated no first token.")
        }
        return time
    }
}
