// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyConversation
import ParleyJSON
import ParleyModels
import ParleyOpenAI
import ParleyServer

/// The benchmark of the page: each model, in each engine that is named, with prompts of each length, one reply after
/// another, through the queue that all replies wait in.
@MainActor
final class BenchmarkBoard {
    /// The most models and lengths of a benchmark.
    static let most = (models: 32, lengths: 16)

    /// What is measured: a model, in an engine or in the one that it runs on for everybody.
    private struct Subject {
        var model: ServedModel
        var engine: String?
        /// Its place among all, and that of its model among the models.
        var place: Int
        var modelPlace: Int
    }

    /// A line of the results.
    private struct Row {
        var subject: Subject
        /// The engine that replied.
        var engine: String?
        /// The length of the prompts; nil where nothing was measured at all.
        var prompt: Int?
        var speeds: ReplyBenchmark.Row?
        /// Why nothing is measured here; nil if something is.
        var note: String?

        /// Where it is compared: the engines of a model stand below each other for each length.
        var order: (Int, Int, Int) { (subject.modelPlace, prompt ?? .max, subject.place) }

        var json: JSONValue {
            [
                "engine": engine.map { .string($0) } ?? .null, "model": .string(subject.model.id),
                "prompt_tokens": prompt.map { .integer($0) } ?? .null, "read": Self.json(speeds?.read),
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
    /// The names of the engines that can be chosen.
    private let engines: [String]
    private var rows: [Row] = []
    private var running: Task<Void, Never>?
    /// The replies that have ended, and all that are wanted.
    private var replies = (done: 0, all: 0)
    private var failures: [String] = []
    private var hasRun = false
    private var isCancelled = false

    init(_ admitted: AdmittedModels, hub: EventHub, engines: [String]) {
        (self.admitted, self.hub, self.engines) = (admitted, hub, engines)
    }

    /// What the page shows: the rows so far, and how far the benchmark is; null before the first.
    var json: JSONValue {
        guard hasRun else { return .null }
        return [
            "is_running": .bool(running != nil), "rows": .array(rows.map(\.json)), "done": .integer(replies.done),
            "all": .integer(replies.all), "is_cancelled": .bool(isCancelled && running == nil),
            "failure": failures.isEmpty ? .null : .string(failures.joined(separator: " ")),
        ]
    }

    /// Begins a benchmark.
    ///
    /// - Parameters:
    ///   - names: the names of the models.
    ///   - wanted: the names of the engines; nil for the one that each model runs on for everybody.
    ///   - prompts: the lengths of the prompts, in tokens.
    /// - Throws: ``/ParleyServer/ServerError`` if one runs, or it names no model, an unknown one, an engine that is not
    ///   here or lengths that no prompt has.
    func begin(_ names: [String], engines wanted: [String]? = nil, prompts: [Int]) async throws {
        guard (1...Self.most.models).contains(names.count) else {
            throw Self.invalid("A benchmark has 1 to \(Self.most.models) models.", "models")
        }
        guard (1...Self.most.lengths).contains(prompts.count), prompts.allSatisfy({ (1...1_000_000).contains($0) })
        else {
            throw Self.invalid(
                "A benchmark has 1 to \(Self.most.lengths) lengths of prompts, of 1 to 1,000,000 tokens.",
                "prompt_tokens")
        }
        guard wanted.map({ !$0.isEmpty && Set($0).count == $0.count && $0.allSatisfy(engines.contains) }) != false
        else {
            throw Self.invalid("The engines of a benchmark are of: \(engines.joined(separator: ", ")).", "engines")
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
        let choices = wanted?.map(Optional.some) ?? [nil]
        let subjects = models.enumerated().flatMap { at, model in
            choices.enumerated().map { index, engine in
                Subject(model: model, engine: engine, place: at * choices.count + index, modelPlace: at)
            }
        }
        (rows, failures, hasRun, isCancelled) = ([], [], true, false)
        replies = (0, subjects.count * Self.plan(prompts).replies)
        running = Task { [weak self] in
            await self?.run(subjects, prompts)
            self?.running = nil
            self?.tell()
        }
        tell()
    }

    /// Ends the benchmark; what was measured stays.
    func cancel() async {
        guard let running else { return }
        isCancelled = true
        running.cancel()
        await running.value
    }

    private static func plan(_ prompts: [Int]) -> ReplyBenchmark.Plan {
        var plan = ReplyBenchmark.Plan()
        plan.prompts = prompts
        return plan
    }

    private func run(_ subjects: [Subject], _ prompts: [Int]) async {
        for subject in subjects {
            let (model, all) = (subject.model, Self.plan(prompts).replies)
            let before = subject.place * all
            if let engine = subject.engine, !model.engines.isEmpty, !model.engines.contains(engine) {
                add(Row(subject: subject, engine: engine, note: "It does not read the form of this model."))
            } else {
                do {
                    try await measure(subject, prompts, before)
                } catch {
                    guard !Task.isCancelled else { return await free(subject) }
                    let title = model.title ?? model.id
                    let name = subject.engine.map { "\(title) (\($0))" } ?? title
                    failures.append("\(name): \((error as? ServerError)?.error.message ?? "\(error)")")
                }
                await free(subject)
            }
            replies.done = before + all
            tell()
        }
    }

    private func measure(_ subject: Subject, _ prompts: [Int], _ before: Int) async throws {
        let (runner, loaded) = try await admitted.runner(subject.model.id, in: subject.engine, for: "benchmark")
        let engine = loaded.engine ?? subject.engine
        let fitting = prompts.filter { Self.fits($0, loaded.contextSize) }
        let measured = try await ReplyBenchmark(runner, plan: Self.plan(fitting)).run { count, row in
            await self.take(row, of: subject, engine, before + count)
        }
        for prompt in prompts where !measured.contains(where: { $0.prompt == prompt }) {
            add(Row(subject: subject, engine: engine, prompt: prompt, note: "The context is shorter."))
        }
    }

    /// What was loaded to be measured alone goes again, so that the next one has its memory.
    private func free(_ subject: Subject) async {
        if let engine = subject.engine { await admitted.unload(subject.model.id, in: engine) }
    }

    /// Whether a prompt fits with its reply; lengths are estimates, and templates add their own tokens.
    private static func fits(_ prompt: Int, _ context: Int?) -> Bool {
        guard let context else { return true }
        return prompt + prompt / 8 + 128 <= context
    }

    private func take(_ row: ReplyBenchmark.Row?, of subject: Subject, _ engine: String?, _ done: Int) {
        replies.done = done
        if let row {
            if let place = rows.firstIndex(where: { $0.subject.place == subject.place && $0.prompt == row.prompt }) {
                rows[place].speeds = row
            } else {
                add(Row(subject: subject, engine: engine, prompt: row.prompt, speeds: row))
            }
        }
        tell()
    }

    private func add(_ row: Row) {
        rows.insert(row, at: rows.firstIndex { $0.order > row.order } ?? rows.endIndex)
    }

    private func tell() {
        hub.publish([PageEvent(type: "benchmark.updated", data: ["benchmark": json])])
    }

    private static func invalid(_ message: String, _ name: String) -> ServerError {
        ServerError(400, .invalidValue, message, param: name)
    }
}
