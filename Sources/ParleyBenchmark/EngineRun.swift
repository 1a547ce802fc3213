// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyLocal
import ParleyModelFile
package import ParleyRuntime

/// What one engine did with one model: how long loading took, and how fast it read and answered prompts.
package struct EngineRun: Sendable, Hashable {
    /// The engine's name.
    package var engine: String
    /// Why it failed; nil where it did not.
    package var failure: String?
    /// Seconds from the file to a model that is ready.
    package var loadSeconds = 0.0
    /// The most memory of the process, in bytes.
    package var peakMemory = 0
    /// The prompts, in the order of the plan.
    package var prompts: [PromptResult] = []

    /// Creates a run without results.
    package init(engine: String, failure: String? = nil) {
        self.engine = engine
        self.failure = failure
    }

    /// Loads a model into an engine, and measures how it replies to prompts.
    ///
    /// - Parameters:
    ///   - engine: the engine's name.
    ///   - file: the model's file.
    ///   - plan: what to measure; prompts that are longer than the model was trained for are left out.
    ///   - threads: the threads that share a step; nil for one a core.
    ///   - failure: says in words why an engine failed.
    ///   - load: loads the file into the engine.
    /// - Returns: what was measured; where the engine fails, the run says so.
    /// - Throws: `CancellationError`.
    package static func measuring(
        _ engine: String, on file: URL, plan: BenchmarkPlan, threads: Int? = nil,
        failure: (any Error) -> String = { "\($0)" },
        load: (LocalConfiguration) async throws -> any TokenModel
    ) async throws -> EngineRun {
        var run = EngineRun(engine: engine)
        do {
            var plan = plan
            let header = try GGUFFile(contentsOf: file)
            if let trained = try header.metadata["\(header.architecture).context_length"]?.unsigned {
                plan.fit(trainedContext: trained)
            }
            let configuration = LocalConfiguration(contextSize: plan.context, threads: threads, timelines: 1)
            let start = ContinuousClock.now
            let model = try await load(configuration)
            run.loadSeconds = start.duration(to: .now) / .seconds(1)
            run.prompts = try await plan.run(on: EngineBenchmark(model: model)).prompts
        } catch let error as CancellationError {
            throw error
        } catch {
            run.failure = failure(error)
        }
        run.peakMemory = ParleyBenchmark.peakMemory()
        return run
    }
}
