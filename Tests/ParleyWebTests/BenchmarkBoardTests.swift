// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import ParleyWeb
import Testing

@Suite("The benchmark in the page", .timeLimit(.minutes(1)))
struct BenchmarkBoardTests {
    private static let words = (1...80).map { "word\($0)" }.joined(separator: " ")

    private static func begin(
        _ trial: PageTrial, models: [JSONValue] = ["scripted"], prompts: [JSONValue] = [20, 40]
    ) async throws {
        try await trial.wish(
            "benchmark", ["models": .array(models), "prompt_tokens": .array(prompts), "on": true])
    }

    private static func isOver(_ event: EventReader.Event) -> Bool {
        event.type == "benchmark.updated" && event.data["benchmark"]?["is_running"] == false
    }

    @Test("Every length of every model is measured three times, and each step is told.")
    func steps() async throws {
        try await PageTrial.with(ScriptedRunner(replies: [ScriptedReply(Self.words)])) { trial in
            let chat = try await trial.newChat()
            let before = try await trial.read("state")["performance"]?["benchmark"]
            #expect(before == .null)
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await Self.begin(trial)
            let told = try await events.until(Self.isOver).compactMap { $0.data["benchmark"] }
            #expect(told.compactMap { $0["done"]?.integer } == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8])
            #expect(told.allSatisfy { $0["all"] == 8 })
            let rows = try #require(told.last?["rows"]?.array)
            #expect(rows.map { $0["prompt_tokens"] } == [20, 40])
            for row in rows {
                #expect(row["model"] == "scripted")
                for speed in ["read", "written"] {
                    let (least, median, most) = (
                        row[speed]?["least"]?.number ?? -1, row[speed]?["median"]?.number ?? -1,
                        row[speed]?["most"]?.number ?? -1
                    )
                    #expect(least > 0 && least <= median && median <= most)
                }
            }
            #expect(try await trial.read("state")["performance"]?["benchmark"] == told.last)
        }
    }

    @Test("It is cancelled between two tokens, what was measured stays, and another one can begin.")
    func cancelling() async throws {
        let gate = Gate()
        let runner = ScriptedRunner { _, number in
            ScriptedReply(steps: [.token("a "), .token("b "), .token("c ")] + (number == 4 ? [.wait(gate)] : []))
        }
        try await PageTrial.with(runner) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await Self.begin(trial)
            await gate.arrival()
            let error = await #expect(throws: ServerError.self) { try await Self.begin(trial) }
            #expect(error?.status == 409)
            try await trial.wish("benchmark", ["on": false])
            let last = try await events.until(Self.isOver).last?.data["benchmark"]
            #expect(last?["rows"]?.array?.count == 1)
            #expect(last?["done"] == 4 && last?["failure"] == .null)
            try await Self.begin(trial)
            #expect(try await events.until(Self.isOver).last?.data["benchmark"]?["rows"]?.array?.count == 2)
        }
    }

    @Test("A model that fails is told, with the reason.")
    func failing() async throws {
        let runner = ScriptedRunner { _, _ in
            ScriptedReply(steps: [.fail(ConversationError(.generationFailed, "No power."))])
        }
        try await PageTrial.with(runner) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await Self.begin(trial)
            let last = try await events.until(Self.isOver).last?.data["benchmark"]
            #expect(last?["failure"]?.string?.contains("No power.") == true)
            #expect(last?["failure"]?.string?.hasPrefix("scripted") == true)
        }
    }

    @Test("Benchmarks that make no sense are refused.")
    func nonsense() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            for (models, prompts) in [
                ([], [20]), (["none"], [20]), (["scripted"], []), (["scripted"], [0]), (["scripted"], [2_000_000]),
                (["scripted"], ["many"]), ([1], [20]),
                (Array(repeating: "scripted", count: 33), [20]),
            ] as [([JSONValue], [JSONValue])] {
                await #expect(throws: ServerError.self, "\(models) \(prompts)") {
                    try await Self.begin(trial, models: models, prompts: prompts)
                }
            }
            await #expect(throws: ServerError.self) { try await trial.wish("benchmark") }
            let after = try await trial.read("state")["performance"]?["benchmark"]
            #expect(after == .null)
        }
    }
}
