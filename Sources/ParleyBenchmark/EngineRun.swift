// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyConversation
package import ParleyLocal
import ParleyModelFile
import ParleyRuntime

/// The results of one engine with one model: the time to load it, and the speed of replies to prompts.
package struct EngineRun: Sendable, Hashable {
    /// The engine's name.
    package var engine: String
    /// The name of the model's file or folder; nil for that of the comparison.
    package var model: String?
    /// The reason for its failure; nil if it succeeded.
    package var failure: String?
    /// The seconds that loading took, until the model was ready.
    package var loadSeconds = 0.0
    /// The peak memory of the process, in bytes.
    package var peakMemory = 0
    /// The results of the prompts, in the order of the plan.
    package var prompts: [PromptResult] = []

    /// Creates results without measurements.
    package init(engine: String, failure: String? = nil) {
        self.engine = engine
        self.failure = failure
    }

    /// Loads a model into an engine, and measures how it replies to prompts.
    ///
    /// - Parameters:
    ///   - engine: the engine's name.
    ///   - file: the model's file.
    ///   - plan: the measurements; prompts that do not fit into the model's context are skipped.
    ///   - threads: the number of threads that run a step together; nil for the engine's default.
    ///   - failure: describes the error of an engine.
    ///   - load: loads the file into the engine.
    /// - Returns: the results; if the engine fails, they contain the reason.
    /// - Throws: `CancellationError`.
    package static func measuring(
        _ engine: String, on file: URL, plan: BenchmarkPlan, threads: Int? = nil,
        failure: (any Error) -> String = { "\($0)" },
        load: (LocalConfiguration) async throws -> EngineModel
    ) async throws -> EngineRun {
        var run = EngineRun(engine: engine)
        do {
            var plan = plan
            // A file in another form tells its context once it is loaded.
            if let header = try? GGUFFile(contentsOf: file),
                let trained = try header.metadata["\(header.architecture).context_length"]?.unsigned
            {
                plan.fit(trainedContext: trained)
            }
            let configuration = LocalConfiguration(contextSize: plan.context, threads: threads, timelines: 1)
            let start = ContinuousClock.now
            let model = try await load(configuration)
            run.loadSeconds = start.duration(to: .now) / .seconds(1)
            switch model {
            case .tokens(let model, _):
                plan.fit(trainedContext: model.info.trainedContext)
                run.prompts = try await plan.run(on: EngineBenchmark(model: model)).prompts
            case .runner(let runner):
                run.prompts = try await plan.prompts(repliedBy: runner)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            run.failure = failure(error)
        }
        run.peakMemory = ParleyBenchmark.peakMemory()
        return run
    }
}

extension BenchmarkPlan {
    /// Measures the replies to the plan's prompts of a model that answers whole messages: texts of about as many tokens.
    fileprivate func prompts(repliedBy runner: any ModelRunner) async throws -> [PromptResult] {
        var results: [PromptResult] = []
        for prompt in prompts {
            var plan = ReplyBenchmark.Plan()
            (plan.prompts, plan.replyTokens, plan.repetitions) = ([prompt], replyTokens, repetitions)
            do {
                let row = try await ReplyBenchmark(runner, plan: plan).run().first
                guard let row, let tokens = row.promptTokens, let first = row.firstToken, let written = row.written
                else { throw BenchmarkError("The replies were too short to be measured.") }
                results.append(
                    PromptResult(
                        promptTokens: tokens, replyTokens: replyTokens, firstToken: first, decode: written))
            } catch let error as ConversationError where error.code == .promptExceedsContext && !results.isEmpty {
                break
            }
        }
        return results
    }
}
