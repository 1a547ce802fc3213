// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleySystem
import Synchronization

/// Counts what the server does, in numbers only.
final class ServerMetrics: Sendable {
    private struct AnswerKind: Hashable {
        var route: String
        var status: Int
    }

    private struct State {
        var answers: [AnswerKind: Int] = [:]
        var connections = 0
        var connectionsInAll = 0
        var disconnects = 0
        var promptTokens = 0
        var cachedTokens = 0
        var generatedTokens = 0
        var queueTime = Histogram.times
        var firstToken = Histogram.times
        var tokenInterval = Histogram.times
        var wholeTime = Histogram.times
    }

    /// No other lock is taken while this one is held.
    private let state = Mutex(State())

    /// A request has been answered.
    func answered(_ route: String, status: Int, after time: Duration) {
        state.withLock { state in
            state.answers[AnswerKind(route: route, status: status), default: 0] += 1
            state.wholeTime.add(time / .seconds(1))
        }
    }

    /// A connection has begun.
    func connected() {
        state.withLock { state in
            state.connections += 1
            state.connectionsInAll += 1
        }
    }

    /// A connection has ended.
    func connectionEnded() {
        state.withLock { $0.connections -= 1 }
    }

    /// A client has gone before it had its answer.
    func disconnected() {
        state.withLock { $0.disconnects += 1 }
    }

    /// A request has waited for its turn.
    func admitted(after time: Duration) {
        state.withLock { $0.queueTime.add(time / .seconds(1)) }
    }

    /// A reply has ended.
    func completed(_ stats: GenerationStats) {
        state.withLock { state in
            state.promptTokens += stats.promptTokens
            state.cachedTokens += stats.cachedPromptTokens
            state.generatedTokens += stats.completionTokens
            if let time = stats.timeToFirstToken { state.firstToken.add(time / .seconds(1)) }
            if stats.tokensPerSecond > 0 { state.tokenInterval.add(1 / stats.tokensPerSecond) }
        }
    }

    /// What the page shows of it.
    var figures: ServerFigures {
        let now = state.withLock { $0 }
        var figures = ServerFigures()
        (figures.promptTokens, figures.cachedTokens) = (now.promptTokens, now.cachedTokens)
        figures.generatedTokens = now.generatedTokens
        (figures.firstTokenSeconds, figures.firstTokens) = (now.firstToken.sum, now.firstToken.count)
        return figures
    }

    /// The figures in Prometheus's text form.
    ///
    /// - Parameters:
    ///   - counts: what runs and waits, for each model.
    ///   - loaded: the models in memory.
    /// - Returns: the text.
    func text(counts: [(model: String, counts: Admission.Counts)], loaded: [LoadedRunner]) async -> String {
        var figures: [(id: String, figures: RunnerFigures)] = []
        for one in loaded {
            if let told = await one.figures { figures.append((one.model.id, told)) }
        }
        let now = state.withLock { $0 }
        var lines = ["# TYPE parley_requests_total counter"]
        for (answer, count) in now.answers.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) })
        {
            lines.append("parley_requests_total{route=\"\(answer.route)\",status=\"\(answer.status)\"} \(count)")
        }
        func add(_ name: String, _ kind: String, _ value: Int) {
            lines += ["# TYPE \(name) \(kind)", "\(name) \(value)"]
        }
        add("parley_requests_running", "gauge", counts.reduce(0) { $0 + $1.counts.running })
        add("parley_requests_waiting", "gauge", counts.reduce(0) { $0 + $1.counts.waiting })
        add("parley_connections", "gauge", now.connections)
        add("parley_connections_total", "counter", now.connectionsInAll)
        add("parley_disconnects_total", "counter", now.disconnects)
        add("parley_prompt_tokens_total", "counter", now.promptTokens)
        add("parley_cached_tokens_total", "counter", now.cachedTokens)
        add("parley_generated_tokens_total", "counter", now.generatedTokens)
        add("parley_models_loaded", "gauge", loaded.count)
        let loads = loaded.compactMap { one in
            one.model.loadTime.map {
                "parley_model_load_seconds{model=\"\(EngineFigures.escaped(one.model.id))\"} \($0 / .seconds(1))"
            }
        }
        if !loads.isEmpty { lines += ["# TYPE parley_model_load_seconds gauge"] + loads }
        if let memory = ProcessMemory.resident() { add("process_resident_memory_bytes", "gauge", memory) }
        lines += EngineFigures.lines(figures)
        lines += now.queueTime.lines("parley_queue_seconds")
        lines += now.firstToken.lines("parley_first_token_seconds")
        lines += now.tokenInterval.lines("parley_token_interval_seconds")
        lines += now.wholeTime.lines("parley_request_seconds")
        return lines.joined(separator: "\n") + "\n"
    }
}
