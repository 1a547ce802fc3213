// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("Function loop", .timeLimit(.minutes(15)))
struct FunctionLoopTests {
    static func call(_ name: String, _ arguments: String = "{}") -> String {
        "<tool_call>{\"name\": \"\(name)\", \"arguments\": \(arguments)}</tool_call>"
    }

    static func tool(_ name: String, _ run: @escaping @Sendable (FunctionCall) async throws -> String) -> FunctionTool {
        FunctionTool(Function(name: name, description: name), run: run)
    }

    struct Run {
        var outcome: FunctionLoopOutcome?
        var results: [String] = []
        var completions = 0
        var eventsAfterLast = 0
    }

    func run(_ loop: FunctionLoop, _ message: ChatMessage? = .user("Go!")) async throws -> Run {
        var run = Run()
        for try await event in loop.run(message) {
            if run.outcome != nil { run.eventsAfterLast += 1 }
            switch event {
            case .response(.complete): run.completions += 1
            case .response: break
            case .result(_, let message): run.results.append(message.text)
            case .finished(let outcome): run.outcome = outcome
            }
        }
        #expect(run.eventsAfterLast == 0)
        return run
    }

    @Test(
        "Extremely large limits are treated as none",
        arguments: [
            Duration.seconds(Int64.max), .seconds(1 << 40), Duration(secondsComponent: .max, attosecondsComponent: 9),
        ])
    func hugeLimits(time: Duration) async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("look")), "Seen."])
        let look = Self.tool("look") { _ in "a door" }
        let limits = FunctionLoop.Limits(rounds: .max, time: time)
        let run = try await run(
            FunctionLoop(conversation: runner.createConversation(), tools: [look], limits: limits))
        #expect(run.outcome?.reason == .answered)
        #expect(run.results == ["a door"])
    }

    @Test("A negative time limit leaves no time", arguments: [Duration.seconds(-1), .seconds(Int64.min)])
    func negativeTime(time: Duration) async throws {
        let held = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(steps: [.token("Hello"), .wait(held)])])
        let limits = FunctionLoop.Limits(time: time)
        let run = try await run(FunctionLoop(conversation: runner.createConversation(), tools: [], limits: limits))
        #expect(run.outcome?.reason == .timeLimit)
    }

    @Test("Functions whose names only look alike are told apart")
    func exactNames() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("e\u{301}") + Self.call("\u{E9}")), "Done."])
        let tools = [Self.tool("\u{E9}") { _ in "whole" }, Self.tool("e\u{301}") { _ in "combined" }]
        let conversation = runner.createConversation()
        let run = try await run(FunctionLoop(conversation: conversation, tools: tools))
        #expect(run.results == ["combined", "whole"])
        #expect(runner.requests.map(\.functions.count) == [2, 2])
        #expect(conversation.functions.isEmpty)
    }

    @Test("Calls are run, and their results lead to an answer")
    func answer() async throws {
        struct Place: Decodable { var city: String }
        let runner = ScriptedRunner(replies: [
            ScriptedReply(Self.call("weather", #"{"city": "Bern"}"#) + Self.call("weather", #"{"city": "Rom"}"#)),
            "Take a coat.",
        ])
        let weather = FunctionTool(Function(name: "weather", description: "Weather"), arguments: Place.self) { place in
            "rain in \(place.city)"
        }
        let conversation = runner.createConversation()
        let run = try await run(FunctionLoop(conversation: conversation, tools: [weather]))
        #expect(run.outcome?.reason == .answered)
        #expect(run.outcome?.rounds == 2)
        #expect(run.outcome?.completion?.message == .assistant("Take a coat."))
        #expect(run.completions == 2)
        #expect(run.results == ["rain in Bern", "rain in Rom"])
        let ids = conversation.history.compactMap(\.functionCallID)
        #expect(ids == ["call00001", "call00002"])
        #expect(conversation.history.map(\.role) == [.user, .assistant, .tool, .tool, .assistant])
        #expect(runner.requests.last?.messages.count == 4)
    }

    @Test("A call that is required is required once, so that the model can answer")
    func requiredOnce() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("first")), "Done."])
        let loop = FunctionLoop(conversation: runner.createConversation(), tools: [Self.tool("first") { _ in "1" }])
        for try await _ in loop.run(.user("Go!"), generationOptions: GenerationOptions(functionCalling: .required)) {}
        #expect(runner.requests.map(\.options.functionCalling) == [.required, .automatic])
    }

    @Test("The calls of one reply run at the same time, and their results keep the order")
    func parallel() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("first") + Self.call("second")), "Done."])
        let gate = Gate()
        let tools = [
            Self.tool("first") { _ in
                try await gate.wait()
                return "1"
            },
            Self.tool("second") { _ in
                gate.open()
                return "2"
            },
        ]
        let run = try await run(FunctionLoop(conversation: runner.createConversation(), tools: tools))
        #expect(run.results == ["1", "2"])
    }

    @Test("Calls run one after the other where that is wanted")
    func sequential() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("f") + Self.call("f")), "Done."])
        let log = ResponseLog()
        let tool = Self.tool("f") { call in
            log.append(.chunk("\(call.id) begins"))
            await Task.yield()
            log.append(.chunk("\(call.id) ends"))
            return ""
        }
        _ = try await run(
            FunctionLoop(
                conversation: runner.createConversation(), tools: [tool],
                limits: FunctionLoop.Limits(runsCallsInParallel: false)))
        #expect(
            log.responses == [
                .chunk("call00001 begins"), .chunk("call00001 ends"), .chunk("call00002 begins"),
                .chunk("call00002 ends"),
            ])
    }

    @Test("Denied, unknown and failed calls are reported to the model")
    func errors() async throws {
        struct Broken: Error {}
        let runner = ScriptedRunner(replies: [
            ScriptedReply(Self.call("delete") + Self.call("fly") + Self.call("fail")), "Sorry.",
        ])
        let tools = [Self.tool("delete") { _ in "deleted" }, Self.tool("fail") { _ in throw Broken() }]
        let loop = FunctionLoop(conversation: runner.createConversation(), tools: tools) { call in
            call.name == "delete" ? .deny(reason: "No.") : .allow
        }
        let run = try await run(loop)
        #expect(
            run.results == [
                #"{"error": "The call was denied: No."}"#,
                #"{"error": "There is no function of that name. There are: delete, fail."}"#,
                #"{"error": "The function failed: Broken()"}"#,
            ])
        #expect(run.outcome?.reason == .answered)
    }

    @Test("A call that could not be read is reported to the model")
    func rejections() async throws {
        let runner = ScriptedRunner(replies: ["<tool_call>{\"name\": </tool_call>", "Then not."])
        let conversation = runner.createConversation()
        let run = try await run(FunctionLoop(conversation: conversation, tools: [Self.tool("f") { _ in "" }]))
        #expect(run.outcome?.rounds == 2)
        #expect(conversation.history.map(\.role) == [.user, .assistant, .user, .assistant])
        #expect(conversation.history[2].text.hasPrefix("Function calls could not be read"))
    }

    @Test("The limit of rounds ends a loop, and every call has a result")
    func rounds() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("f"))])
        let conversation = runner.createConversation()
        let loop = FunctionLoop(
            conversation: conversation, tools: [Self.tool("f") { _ in "again" }], limits: FunctionLoop.Limits(rounds: 3)
        )
        let run = try await run(loop)
        #expect(run.outcome?.reason == .roundLimit)
        #expect(run.outcome?.rounds == 3)
        #expect(run.results.count == 3)
        #expect(run.results.last?.contains("limit of rounds") == true)
        #expect(
            conversation.history.map(\.role) == [.user] + [.assistant, .tool, .assistant, .tool, .assistant, .tool])
    }

    @Test("The time limit ends a loop during a function")
    func timeInFunction() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("f")), "never"])
        let tool = Self.tool("f") { _ in
            try await gate.wait()
            return "never"
        }
        let conversation = runner.createConversation()
        let loop = FunctionLoop(
            conversation: conversation, tools: [tool], limits: FunctionLoop.Limits(time: .seconds(30)), clock: clock)
        async let result = run(loop)
        await gate.arrival()
        await clock.sleeper()
        clock.advance(by: .seconds(30))
        let run = try await result
        #expect(run.outcome?.reason == .timeLimit)
        #expect(run.results == [#"{"error": "The function was stopped before it had a result."}"#])
        #expect(conversation.history.map(\.role) == [.user, .assistant, .tool])
    }

    @Test("The time limit ends a loop during a reply")
    func timeInReply() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(steps: [.token("Hel"), .wait(gate)])])
        let conversation = runner.createConversation()
        let loop = FunctionLoop(
            conversation: conversation, tools: [], limits: FunctionLoop.Limits(time: .seconds(30)), clock: clock)
        async let result = run(loop)
        await gate.arrival()
        await clock.sleeper()
        clock.advance(by: .seconds(30))
        let run = try await result
        #expect(run.outcome?.reason == .timeLimit)
        #expect(run.outcome?.completion?.message == .assistant("Hel"))
        #expect(conversation.history == [.user("Go!"), .assistant("Hel")])
        #expect(!conversation.isGenerating)
    }

    @Test("A loop stops when its consumer is released")
    func cancelling() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("f")), "never"])
        let conversation = runner.createConversation()
        let ended = Gate()
        let tool = Self.tool("f") { _ in
            do {
                try await gate.wait()
            } catch {
                ended.open()
                throw error
            }
            return "never"
        }
        let loop = FunctionLoop(conversation: conversation, tools: [tool])
        let reader = Task {
            for try await _ in loop.run(.user("Go!")) {}
        }
        await gate.arrival()
        reader.cancel()
        try await ended.wait()
        #expect(runner.requests.count == 1)
    }

    @Test("The time limit ends a loop whose approval or function waits for ever", arguments: [true, false])
    func deafCode(waitsInApproval: Bool) async throws {
        let clock = ManualClock()
        let asked = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("f") + Self.call("f")), "never"])
        /// Waits for ever and ignores cancellation.
        @Sendable func ask() async {
            let never = Task { try await Gate().wait() }
            asked.open()
            _ = await never.result
        }
        let tool = Self.tool("f") { _ in
            await ask()
            return "never"
        }
        let conversation = runner.createConversation()
        let loop = FunctionLoop(
            conversation: conversation, tools: [tool], limits: FunctionLoop.Limits(time: .seconds(30)), clock: clock
        ) { _ in
            if waitsInApproval { await ask() }
            return .allow
        }
        async let result = run(loop)
        try await asked.wait()
        await clock.sleeper()
        clock.advance(by: .seconds(30))
        let run = try await result
        #expect(run.outcome?.reason == .timeLimit)
        let stopped = #"{"error": "The function was stopped before it had a result."}"#
        #expect(run.results == [stopped, stopped])
        #expect(conversation.history.map(\.role) == [.user, .assistant, .tool, .tool])
    }

    @Test("Nothing comes between a call and its result, neither another loop nor an edit")
    func undivided() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("look")), "Seen."])
        let look = Self.tool("look") { _ in
            try await gate.wait()
            return "a door"
        }
        let conversation = runner.createConversation()
        let loop = FunctionLoop(conversation: conversation, tools: [look])
        async let first = run(loop)
        await gate.arrival()
        #expect(conversation.isGenerating)
        let error = try await #require(throws: ConversationError.self) { try await run(loop, .user("Second")) }
        #expect(error.code == .busy)
        #expect(throws: ConversationError.self) { try conversation.replaceHistory([]) }
        gate.open()
        let ended = try await first
        #expect(ended.outcome?.reason == .answered)
        #expect(!conversation.isGenerating)
        #expect(conversation.history.map(\.role) == [.user, .assistant, .tool, .assistant])
    }

    @Test("A message that is added while functions run comes after their results, and is in the next prompt")
    func addedMeanwhile() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("look") + Self.call("listen")), "Seen."])
        let tools = [
            Self.tool("look") { _ in "a door" },
            Self.tool("listen") { _ in
                try await gate.wait()
                return "steps"
            },
        ]
        let conversation = runner.createConversation()
        async let ending = run(FunctionLoop(conversation: conversation, tools: tools))
        await gate.arrival()
        conversation.appendToHistory(.user("Hurry!"))
        conversation.appendToHistory(.user("Or not."))
        #expect(conversation.history.map(\.text).suffix(2) == ["Hurry!", "Or not."])
        // It has not been answered yet; the call has been made.
        #expect(try conversation.removeLastMessage()?.text == "Or not.")
        gate.open()
        _ = try await ending
        #expect(conversation.history.map(\.role) == [.user, .assistant, .tool, .tool, .user, .assistant])
        #expect(runner.requests.last?.messages.last?.text == "Hurry!")
    }

    @Test("A message that is added during the last round of a loop stays after the results")
    func addedLast() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("look"))])
        let look = Self.tool("look") { _ in
            try await gate.wait()
            return "a door"
        }
        let conversation = runner.createConversation()
        let loop = FunctionLoop(conversation: conversation, tools: [look])
        let reading = Task { try await run(loop) }
        await gate.arrival()
        conversation.appendToHistory(.user("Hurry!"))
        // The loop ends without another reply.
        reading.cancel()
        _ = try? await reading.value
        await conversation.waitUntilIdle()
        #expect(conversation.history.map(\.role) == [.user, .assistant, .tool, .user])
        #expect(try conversation.removeLastMessage()?.text == "Hurry!")
    }

    @Test("Where a conversation ignores requests while it is busy, a loop throws, because it must have an end")
    func ignored() async throws {
        let gate = Gate()
        let conversation = ScriptedRunner(replies: [ScriptedReply(steps: [.wait(gate)])]).createConversation()
        conversation.busyPolicy = .ignore
        let stream = conversation.reply(to: "first")
        await gate.arrival()
        let error = try await #require(throws: ConversationError.self) {
            try await run(FunctionLoop(conversation: conversation, tools: []))
        }
        // It says what to do about it.
        #expect(error.code == .busy && error.message.contains("BusyPolicy"))
        gate.open()
        for try await _ in stream {}
    }

    @Test("A request that waits for its turn comes after the last reply of a loop")
    func queued() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("look")), "Seen.", "Nothing else."])
        let look = Self.tool("look") { _ in
            try await gate.wait()
            return "a door"
        }
        let conversation = runner.createConversation()
        conversation.busyPolicy = .queue
        async let first = run(FunctionLoop(conversation: conversation, tools: [look]))
        await gate.arrival()
        let second = conversation.reply(to: "What else?")
        gate.open()
        _ = try await first
        _ = try await second.completion
        #expect(conversation.history.map(\.role) == [.user, .assistant, .tool, .assistant, .user, .assistant])
    }

    @Test("After a loop that was let go of, a request waits until every call has its result")
    func followingStopped() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply(Self.call("f")), "Again."])
        let tool = Self.tool("f") { _ in
            try await Gate().wait()
            return "never"
        }
        let conversation = runner.createConversation()
        func readFirstReply() async throws {
            for try await event in FunctionLoop(conversation: conversation, tools: [tool]).run(.user("Go!")) {
                if case .response(.complete) = event { return }
            }
        }
        try await readFirstReply()
        _ = try await conversation.reply(to: "Once more.").completion
        #expect(runner.requests.last?.messages.map(\.role) == [.user, .assistant, .tool, .user])
        #expect(!conversation.isGenerating)
    }

    @Test("A busy conversation is an error")
    func busy() async throws {
        let gate = Gate()
        let conversation = ScriptedRunner(replies: [ScriptedReply(steps: [.wait(gate)])]).createConversation()
        let stream = conversation.reply(to: "first")
        await gate.arrival()
        let error = try await #require(throws: ConversationError.self) {
            try await run(FunctionLoop(conversation: conversation, tools: []))
        }
        #expect(error.code == .busy)
        gate.open()
        for try await _ in stream {}
    }
}
