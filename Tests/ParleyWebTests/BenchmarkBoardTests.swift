// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import ParleyWeb
import Testing

@Suite("The benchmark in the page", .timeLimit(.minutes(15)))
struct BenchmarkBoardTests {
    private static let words = (1...80).map { "word\($0)" }.joined(separator: " ")

    private static func begin(
        _ trial: PageTrial, models: [JSONValue] = ["scripted"], engines: JSONValue? = nil,
        prompts: [JSONValue] = [20, 40]
    ) async throws {
        var wish: JSONObject = ["models": .array(models), "prompt_tokens": .array(prompts), "on": true]
        wish["engines"] = engines
        try await trial.wish("benchmark", wish)
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
            #expect(last?["done"] == 4 && last?["failure"] == .null && last?["is_cancelled"] == true)
            try await Self.begin(trial)
            let whole = try await events.until(Self.isOver).last?.data["benchmark"]
            #expect(whole?["rows"]?.array?.count == 2 && whole?["is_cancelled"] == false)
        }
    }

    @Test("Each engine that is named is measured; for each length they stand below each other.")
    func engines() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.words)])
        try await PageTrial.with(runner, engines: ["own", "other", "missing"]) { trial in
            let chat = try await trial.newChat()
            let installed = try await trial.read("state")["models"]?["installed"]?[0]
            #expect(installed?["engine"] == "own" && installed?["engines"] == ["own", "other", "missing"])
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await Self.begin(trial, engines: ["other", "own", "missing"])
            let last = try await events.until(Self.isOver).last?.data["benchmark"]
            let rows = try #require(last?["rows"]?.array)
            #expect(rows.map { $0["engine"] } == ["other", "own", "other", "own"])
            #expect(rows.map { $0["prompt_tokens"] } == [20, 20, 40, 40])
            #expect(rows.allSatisfy { ($0["written"]?["median"]?.number ?? 0) > 0 })
            #expect(last?["all"] == 24 && last?["done"] == 24)
            #expect(last?["failure"] == "scripted (missing): Its library is missing.")
            // What was loaded to be measured is in no list, and the model is as it was.
            let after = try await trial.read("state")["models"]
            #expect(after?["installed"]?.array?.count == 1 && after?["installed"]?[0]?["status"] == "loaded")
        }
    }

    @Test("An engine that does not read the form of a model says so, and the others are measured.")
    func form() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.words)])
        try await PageTrial.with(runner, engines: ["own", "unfit"]) { trial in
            let chat = try await trial.newChat()
            for engines in [["none"], [], ["own", "own"], "own", [1]] as [JSONValue] {
                await #expect(throws: ServerError.self, "\(engines)") {
                    try await Self.begin(trial, engines: engines)
                }
            }
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await Self.begin(trial, engines: ["unfit", "own"], prompts: [20])
            let rows = try #require(try await events.until(Self.isOver).last?.data["benchmark"]?["rows"]?.array)
            #expect(rows.map { $0["engine"] } == ["own", "unfit"])
            #expect(rows.last?["prompt_tokens"] == .null && rows.last?["written"] == .null)
            #expect(rows.last?["note"]?.string?.contains("form") == true)
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
