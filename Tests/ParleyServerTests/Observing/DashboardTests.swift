// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyTesting
import Testing

/// A model that knows all its figures.
private struct CountedRunner: FigureReporting {
    let inner = ScriptedRunner(replies: ["Hi."])
    let modelID = "scripted"

    func figures() async -> RunnerFigures {
        var figures = RunnerFigures()
        (figures.sequences, figures.cacheBytes, figures.reservedCacheBytes) = (2, 4_096, 8_192)
        (figures.setBacks, figures.steps, figures.rows, figures.stepTime) = (1, 10, 40, .seconds(2))
        (figures.draftedTokens, figures.acceptedTokens) = (6, 3)
        return figures
    }

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        try await inner.generate(request, to: writer)
    }

    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int { 1 }

    func unload() async {}
}

@Suite("The dashboard for Grafana")
struct DashboardTests {
    private static let file = URL(filePath: #filePath).appending(path: "../../../../packaging/grafana.json")
        .standardized

    @Test("It asks for figures that the server has.")
    func names() async throws {
        let json = try JSONValue(parsing: Data(contentsOf: Self.file))
        let queries = (json["panels"]?.array ?? []).flatMap { $0["targets"]?.array ?? [] }.compactMap {
            $0["expr"]?.string
        }
        #expect(queries.count > 10)
        let asked = Set(queries.flatMap { $0.matches(of: /parley_[a-z_]+/).map { String($0.output) } })
        let text = try await ServerTrial.with(CountedRunner()) { trial in
            _ = try await trial.chat([:])
            return try await trial.ask(ServerTrial.get("/metrics")).body
        }
        let told = Set(text.matches(of: /(?m)^parley_[a-z_]+/).map { String($0.output) })
        #expect(asked.subtracting(told) == [])
    }
}
