// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyBenchmark
import ParleyJSON
import ParleyLocal
import ParleyLocalEngines
import ParleyModels

extension BenchCommand {
    /// Compares engines, each in a process of its own, so that they share neither memory nor threads. A single engine
    /// runs in this process.
    func compare(_ engines: EngineList, on model: StoredModel, console: Console) async throws {
        let names = engines.names ?? EngineDescriptor.builtIn.map(\.name)
        if engines.names == nil, names.count == 1 {
            console.note(
                "This build of parley has no other engine; 'parley engines' lists those that can be built in.")
        }
        var runs: [EngineRun] = []
        for name in names {
            if Terminal.Stream.error.isTerminal { console.note("\(name)…") }
            if names.count == 1 {
                runs.append(try await measure(name, on: model, console: console))
            } else {
                let process = EngineProcess(
                    model: model.url.path, engine: name, plan: comparison, computing: computing, cache: cache)
                runs.append(try await process.run())
            }
            try Task.checkCancellation()
        }
        let comparison = EngineComparison(model: self.model, repetitions: comparison.repetitions, runs: runs)
        if json {
            console.line(comparison.json.text())
        } else {
            console.write(comparison.text(style: console.outputStyle))
        }
        if let svg { try write(ComparisonChart(comparison).svg, to: svg) }
        if runs.allSatisfy({ $0.failure != nil }) { throw CommandError("No engine could run \(self.model).") }
    }

    private func measure(_ name: String, on model: StoredModel, console: Console) async throws -> EngineRun {
        var wanted = computing
        wanted.engine = .named(name)
        let (plan, computing) = (comparison, wanted)
        let cacheType = cache.cacheType
        return try await Interrupts.shared.cancelling {
            try await EngineRun.measuring(
                name, on: model.url, plan: plan, threads: computing.threads, failure: ErrorText.of
            ) { configuration in
                var configuration = configuration
                configuration.cacheType = cacheType
                return try await computing.load(model, configuration, console: console).model
            }
        }
    }

    private func write(_ chart: String, to path: String) throws {
        let file = try OutputFile(path: path)
        try file.write(Data(chart.utf8))
        try file.finish()
    }

    private var comparison: BenchmarkPlan {
        var plan = BenchmarkPlan.comparison
        plan.repetitions = repetitions
        plan.replyTokens = max(replyTokens, 2)
        return plan
    }
}

/// The engines to compare.
struct EngineList: ExpressibleByArgument, Sendable, Hashable {
    /// Their names; nil for all.
    let names: [String]?

    /// Parses `all`, or names separated by commas.
    init?(argument: String) {
        let names = argument.split(separator: ",").map(String.init)
        guard !names.isEmpty else { return nil }
        self.names = names == ["all"] ? nil : names
    }
}
