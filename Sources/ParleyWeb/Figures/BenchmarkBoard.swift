// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyConversation
import ParleyJSON
import ParleyModels
import ParleyOpenAI
import ParleyServer

/// The benchmark of the page: each model with prompts of each length, one reply after another, through the queue that all
/// replies wait in.
@MainActor
final class BenchmarkBoard {
    /// The most models and lengths of a benchmark.
    static let most = (models: 32, lengths: 16)

    /// A line of the results.
    private struct Row {
        var model: ServedModel
        var prompt: Int
        var speeds: ReplyBenchmark.Row?
        /// Why nothing is measured here; nil if something is.
        var note: String?

        var json: JSONValue {
            [
                "engine": model.engine.map { .string($0) } ?? .null, "model": .string(model.id),
                "prompt_tokens": .integer(prompt), "read": Self.json(speeds?.read),
                "written": Self.json(speeds?.written), "note": note.map { .string($0) } ?? .null,
            ]
        }

        private static func json(_ samples: Samples?) -> JSONValue {
            guard let samples else { return .null }
            return [
                "median": .number(samples.median), "least": .number(samples.least), "most": .number(samples.most),
            ]
        }
    }

    private let admitted: AdmittedModels
    private let hub: EventHub
    private var rows: [Row] = []
    private var running: Task<Void, Never>?
    /// The replies that have ended, and all that are wanted.
    private var replies = (done: 0, all: 0)
    private var failure: String?
    private var hasRun = false

    init(_ admitted: AdmittedModels, hub: EventHub) { (self.admitted, self.hub) = (admitted, hub) }

    /// What the page shows: the rows so far, and how far the benchmark is; null before the first.
    var json: JSONValue {
        guard hasRun else { return .null }
        return [
            "is_running": .bool(running != nil), "rows": .array(rows.map(\.json)), "done": .integer(replies.done),
            "all": .integer(replies.all), "failure": failure.map { .string($0) } ?? .null,
        ]
    }

    /// Begins a benchmark.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` if one runs, or it names no model, an unknown one or lengths that no prompt
    ///   has.
    func begin(_ names: [String], prompts: [Int]) async throws {
        guard (1...Self.most.models).contains(names.count) else {
            throw Self.invalid("A benchmark has 1 to \(Self.most.models) models.", "models")
        }
        guard (1...Self.most.lengths).contains(prompts.count), prompts.allSatisfy({ (1...1_000_000).contains($0) })
        else {
            throw Self.invalid(
                "A benchmark has 1 to \(Self.most.lengths) lengths of prompts, of 1 to 1,000,000 tokens.",
                "prompt_tokens")
        }
        let known = await admitted.models.list()
        let models = try names.map { name in
            guard let model = known.first(where: { $0.id == name }), model.capabilities?.contains(.chat) != false else {
                throw Self.invalid("There is no model \(name.prefix(100)) here that replies.", "models")
            }
            return model
        }
        guard running == nil else {
            throw ServerError(409, .invalidValue, "A benchmark is running already. Cancel it first.")
        }
        (rows, failure, hasRun) = ([], nil, true)
        replies = (0, models.count * Self.plan(prompts).replies)
        running = Task { [weak self] in
            await self?.run(models, prompts)
            self?.running = nil
            self?.tell()
        }
        tell()
    }

    /// Ends the benchmark; what was measured stays.
    func cancel() async {
        running?.cancel()
        await running?.value
    }

    private static func plan(_ prompts: [Int]) -> ReplyBenchmark.Plan {
        var plan = ReplyBenchmark.Plan()
        plan.prompts = prompts
        return plan
    }

    private func run(_ models: [ServedModel], _ prompts: [Int]) async {
        for (index, model) in models.enumerated() {
            let before = index * Self.plan(prompts).replies
            do {
                let (runner, loaded) = try await admitted.runner(model.id, for: "benchmark")
                let fitting = prompts.filter { Self.fits($0, loaded.contextSize) }
                let measured = try await ReplyBenchmark(runner, plan: Self.plan(fitting)).run { count, row in
                    await self.take(row, of: loaded, before + count)
                }
                for prompt in prompts where !measured.contains(where: { $0.prompt == prompt }) {
                    rows.append(Row(model: loaded, prompt: prompt, note: "The context is shorter."))
                }
            } catch {
                guard !Task.isCancelled else { return }
                failure = "\(model.id): \((error as? ServerError)?.error.message ?? "\(error)")"
            }
            replies.done = before + Self.plan(prompts).replies
            tell()
        }
    }

    /// Whether a prompt fits with its reply; lengths are estimates, and templates add their own tokens.
    private static func fits(_ prompt: Int, _ context: Int?) -> Bool {
        guard let context else { return true }
        return prompt + prompt / 8 + 128 <= context
    }

    private func take(_ row: ReplyBenchmark.Row?, of model: ServedModel, _ done: Int) {
        replies.done = done
        if let row {
            let place = rows.firstIndex { $0.model.id == model.id && $0.prompt == row.prompt }
            if place == nil { rows.append(Row(model: model, prompt: row.prompt)) }
            rows[place ?? rows.count - 1].speeds = row
        }
        tell()
    }

    private func tell() {
        hub.publish([PageEvent(type: "benchmark.updated", data: ["benchmark": json])])
    }

    private static func invalid(_ message: String, _ name: String) -> ServerError {
        ServerError(400, .invalidValue, message, param: name)
    }
}
