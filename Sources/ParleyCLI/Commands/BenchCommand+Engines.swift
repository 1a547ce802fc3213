// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyBenchmark
import ParleyCommandLine
import ParleyJSON
import ParleyLocal
import ParleyLocalEngines
import ParleyModels

extension BenchCommand {
    /// Compares engines, each in a process of its own, so that they share neither memory nor threads. A single engine
    /// runs in this process.
    func compare(_ engines: EngineList, on model: StoredModel, console: Console) async throws {
        let entries = engines.entries(among: EngineDescriptor.builtIn.map(\.name))
        if engines.hasAll, entries.count == 1 {
            console.note(
                "This build of parley has no other engine; 'parley engines' lists those that can be built in.")
        }
        // A path that is wrong is told before anything is measured.
        let chart = try svg.map { try OutputFile(path: $0) }
        var models: [StoredModel] = []
        for entry in entries {
            if let own = entry.model {
                models.append(try await fetching.file(of: own, console: console))
            } else {
                models.append(model)
            }
        }
        var runs: [EngineRun] = []
        for (entry, found) in zip(entries, models) {
            if Terminal.Stream.error.isTerminal { console.note("\(entry.engine)…") }
            runs.append(try await run(entry, on: found, isAlone: entries.count == 1, console: console))
            try Task.checkCancellation()
        }
        let comparison = EngineComparison(model: self.model, repetitions: comparison.repetitions, runs: runs)
        if json {
            console.line(comparison.json.text())
        } else {
            console.paragraph(comparison.text(style: console.outputStyle))
        }
        try chart?.write(Data(ComparisonChart(comparison).svg.utf8))
        try chart?.finish()
        if runs.allSatisfy({ $0.failure != nil }) { throw CommandError("No engine could run \(self.model).") }
    }

    /// Measures an engine with a model.
    private func run(
        _ entry: EngineList.Entry, on found: StoredModel, isAlone: Bool, console: Console
    ) async throws -> EngineRun {
        var run: EngineRun
        if isAlone {
            run = try await measure(entry.engine, on: found, console: console)
        } else {
            let process = EngineProcess(
                model: found.url.path, engine: entry.engine, plan: comparison, computing: computing, cache: cache)
            run = try await process.run()
        }
        if entry.model != nil { run.model = found.name }
        return run
    }

    private func measure(_ name: String, on model: StoredModel, console: Console) async throws -> EngineRun {
        var wanted = computing
        wanted.engine = .named(name)
        let (plan, computing) = (comparison, wanted)
        let (cacheType, power) = (cache.cacheType, computing.power)
        return try await Interrupts.shared.cancelling {
            try await EngineRun.measuring(
                name, on: model.url, plan: plan, threads: computing.threads, failure: ErrorText.of
            ) { configuration in
                var configuration = configuration
                configuration.cacheType = cacheType
                configuration.power = power
                return try await computing.loadEngine(model, configuration, console: console)
            }
        }
    }

    private var comparison: BenchmarkPlan {
        var plan = BenchmarkPlan.comparison(of: prompts?.values ?? [32, 512, 4_096])
        plan.repetitions = repetitions
        plan.replyTokens = max(replyTokens, 2)
        return plan
    }
}

/// The engines to compare, and the models of those that do not read that of the others: `all`, `native,onnx=FOLDER`.
package struct EngineList: ExpressibleByArgument, Sendable, Hashable {
    /// An engine to compare.
    package struct Entry: Sendable, Hashable {
        /// Its name.
        package var engine: String
        /// Its model; nil for that of the comparison.
        package var model: String?
    }

    /// The engines that are named.
    package let named: [Entry]
    /// Whether all others are compared too.
    package let hasAll: Bool

    /// Parses names separated by commas, each with its model if it has one, or `all`.
    package init?(argument: String) {
        let parts = argument.split(separator: ",").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        let entries = parts.map { Entry(engine: String($0[0]), model: $0.count > 1 ? String($0[1]) : nil) }
        guard !entries.isEmpty, entries.allSatisfy({ !$0.engine.isEmpty && $0.model != "" }),
            Set(entries.map(\.engine)).count == entries.count
        else { return nil }
        hasAll = entries.contains(Entry(engine: "all"))
        named = entries.filter { $0 != Entry(engine: "all") }
    }

    /// The engines of a build that are compared: those named in their order, or all in that of the build.
    package func entries(among builtIn: [String]) -> [Entry] {
        guard hasAll else { return named }
        return builtIn.map { name in named.first { $0.engine == name } ?? Entry(engine: name) }
    }
}
