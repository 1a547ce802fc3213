// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyHTTP
import ParleyJSON
import ParleyRemote
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

@Suite("Replies of a server", .timeLimit(.minutes(15)))
struct RemoteModelRunnerTests {
    @Test("text, reasoning, calls, probabilities and numbers arrive as they were sent")
    func everything() async throws {
        let server = try FakeServer { _ in
            .chunks(
                [
                    #""delta":{"role":"assistant","content":null,"reasoning_content":"Well"}"#,
                    #""delta":{"reasoning_content":", now."}"#,
                    #"""
                    "delta":{"content":"Hé"},"logprobs":{"content":[{"token":"Hé","logprob":-0.5,"bytes":[72,195,169],\#
                    "top_logprobs":[{"token":"Ho","logprob":-9999.0,"bytes":null}]}]}
                    """#,
                    #""delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\""}}]}"#,
                    #""delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}"#,
                    #""delta":{},"finish_reason":"tool_calls""#,
                ],
                usage: """
                    {"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":3},\
                    "completion_tokens_details":{"reasoning_tokens":2}}
                    """)
        }
        let reply = try await server.reply()
        #expect(reply.message.reasoningContent == "Well, now.")
        #expect(reply.message.text == "Hé")
        #expect(reply.message.functionCalls == [FunctionCall(id: "c", name: "f", arguments: ["a": 1])])
        #expect(reply.finishReason == .functionCall)
        #expect(reply.stats?.promptTokens == 7 && reply.stats?.cachedPromptTokens == 3)
        #expect(reply.stats?.completionTokens == 5 && reply.stats?.reasoningTokens == 2)
        #expect(reply.stats?.timeToFirstToken != nil)
        let probability = try #require(reply.info.probabilities?.first)
        #expect(probability.chosen == .init(token: -1, bytes: Array("Hé".utf8), logprob: -0.5))
        #expect(probability.top == [.init(token: -1, bytes: Array("Ho".utf8), logprob: -.infinity)])
    }

    @Test("the request has all that was asked for")
    func request() async throws {
        let server = try FakeServer(key: "sk-1234567890") { _ in .hi }
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        var options = GenerationOptions(
            temperature: 0.5, topK: 3, seed: 9, maxTokens: 11, stop: ["x", ""],
            jsonSchemaConstraint: .object(["a": .string()]), reasoning: .off, functionCalling: .required)
        options.injectSchemaIntoPrompt = false
        options.likelyTokens = 2
        let id = ConversationID()
        _ = try await server.reply(
            GenerationRequest(
                messages: [.system("Be brief."), ChatMessage(role: .user, content: [.text("See?"), .image(png)])],
                functions: [Function(name: "f", description: "d", parameters: [])], options: options,
                conversationID: id))
        let sent = try #require(server.web.requests.first)
        #expect(sent.method == "POST" && sent.path == "/v1/chat/completions")
        #expect(sent.headers["authorization"] == "Bearer sk-1234567890")
        #expect(sent.headers["x-conversation-id"] == id.description)
        let body = try #require(server.bodies.first)
        #expect(body["model"] == "m" && body["stream"] == true && body["stream_options"]?["include_usage"] == true)
        #expect(body["temperature"] == 0.5 && body["top_k"] == 3 && body["seed"] == 9 && body["max_tokens"] == 11)
        #expect(body["max_completion_tokens"] == nil && body["show_schema"] == false)
        #expect(body["stop"] == ["x"] && body["top_logprobs"] == 2 && body["tool_choice"] == "required")
        #expect(body["tools"]?[0]?["function"]?["name"] == "f")
        #expect(body["response_format"]?["json_schema"]?["schema"]?["type"] == "object")
        #expect(body["chat_template_kwargs"]?["enable_thinking"] == false)
        let image = body["messages"]?[1]?["content"]?[1]?["image_url"]?["url"]?.string
        #expect(image == "data:image/png;base64,\(png.base64EncodedString())")
    }

    @Test("each call is sent with its result right after it, or with an error")
    func answeredCalls() async throws {
        let server = try FakeServer { _ in .hi }
        let calls = ["a", "b"].map { FunctionCall(id: $0, name: "f", arguments: [:]) }
        _ = try await server.reply(
            GenerationRequest(messages: [
                .user("Go!"), ChatMessage(role: .assistant, content: [], functionCalls: calls), .user("Hurry!"),
                .functionResult("done", for: calls[1]), .user("And now?"),
            ]))
        let messages = try #require(server.bodies.first?["messages"]?.array)
        #expect(messages.map { $0["role"]?.string } == ["user", "assistant", "tool", "tool", "user", "user"])
        #expect(messages[2]["tool_call_id"] == "a" && messages[2]["content"]?.string?.contains("error") == true)
        #expect(messages[3]["tool_call_id"] == "b" && messages[3]["content"] == "done")
        #expect(messages[4]["content"] == "Hurry!")
    }

    /// What a server writes, and what is meant.
    struct Oddity: Sendable, CustomTestStringConvertible {
        var what: String
        var stream: String
        var text = "Hi."
        var reasoning: String?
        var calls: [String] = []
        var reason = FinishReason.stop
        var testDescription: String { what }
    }

    private static func data(_ choice: String) -> String { "data: {\"choices\":[{\(choice)}]}\n\n" }
    private static let hi = data(#""delta":{"content":"Hi."}"#)
    private static let stop = data(#""delta":{},"finish_reason":"stop""#)
    private static let done = "data: [DONE]\n\n"

    static let oddities: [Oddity] = [
        Oddity(what: "no [DONE]", stream: hi + stop),
        Oddity(what: "no empty line at the end", stream: hi + String(stop.dropLast(2))),
        Oddity(what: "[DONE] without a reason", stream: hi + done),
        Oddity(what: "lines end with CRLF", stream: (hi + stop + done).replacing("\n", with: "\r\n")),
        Oddity(what: "a byte order mark", stream: "\u{FEFF}" + hi + stop + done),
        Oddity(what: "comments and empty data", stream: ": hello\n\n" + hi + ":\n\ndata:\n\n" + stop + done),
        Oddity(what: "no space after the colon", stream: (hi + stop + done).replacing("data: ", with: "data:")),
        Oddity(
            what: "null everywhere",
            stream: data(#""delta":{"role":"assistant","content":null,"tool_calls":null,"refusal":null}"#)
                + data(#""delta":{"content":"Hi."},"finish_reason":null,"logprobs":null"#)
                + "data: {\"choices\":[],\"usage\":null,\"error\":null}\n\n" + stop + done),
        Oddity(
            what: "an empty reason as long as there is none",
            stream: data(#""delta":{"content":"H"},"finish_reason":"""#)
                + data(#""delta":{"content":"i."},"finish_reason":"length""#) + done,
            reason: .length),
        Oddity(
            what: "reasoning under its other name", stream: data(#""delta":{"reasoning":"Hm."}"#) + hi + stop + done,
            reasoning: "Hm."),
        Oddity(
            what: "content as parts",
            stream: data(#""delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]}"#)
                + data(#""delta":{"content":[{"type":"text","text":"Hi."}]}"#) + stop + done,
            reasoning: "Hm."),
        Oddity(
            what: "whole calls without an index",
            stream: data(#""delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}"#)
                + data(#""delta":{"tool_calls":[{"id":"b","function":{"name":"g","arguments":{"x":1}}}]}"#)
                + data(#""delta":{},"finish_reason":"stop""#) + done,
            text: "", calls: ["f{}", #"g{"x":1}"#], reason: .functionCall),
        Oddity(
            what: "whole calls without an id",
            stream: data(#""delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}"#)
                + data(#""delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"y\":2}"}}]}"#)
                + data(#""delta":{},"finish_reason":"tool_calls""#) + done,
            text: "", calls: ["f{}", #"f{"y":2}"#], reason: .functionCall),
        Oddity(
            what: "the name again with every part",
            stream: data(#""delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}"#)
                + data(#""delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]}"#)
                + data(#""delta":{},"finish_reason":"tool_calls""#) + done,
            text: "", calls: ["f{}"], reason: .functionCall),
    ]

    @Test("what servers write oddly is read", arguments: oddities, [1, 7, 4_096])
    func oddity(odd: Oddity, pieces: Int) async throws {
        let server = try FakeServer { _ in .stream(odd.stream, pieces: pieces) }
        let reply = try await server.reply()
        #expect(reply.message.text == odd.text)
        #expect(reply.message.reasoningContent == odd.reasoning)
        let calls = (reply.message.functionCalls ?? []).map { $0.name + JSONValue.object($0.arguments).text() }
        #expect(calls == odd.calls)
        #expect(reply.finishReason == odd.reason)
    }

    @Test("a server that does not stream is read too")
    func whole() async throws {
        let server = try FakeServer { _ in
            .refusal(
                200,
                [
                    "choices": [
                        [
                            "message": ["role": "assistant", "content": "Hi.", "reasoning": "Hm."],
                            "finish_reason": "length",
                        ]
                    ], "usage": ["prompt_tokens": 3, "completion_tokens": 2],
                ])
        }
        let reply = try await server.reply()
        #expect(reply.message.text == "Hi." && reply.message.reasoningContent == "Hm.")
        #expect(reply.finishReason == .length && reply.stats?.completionTokens == 2)
    }

    @Test(
        "only what is JSON by its type is read as one object",
        arguments: [("application/jsonl", false), ("Application/JSON ;charset=utf-8", true)])
    func mediaTypes(type: String, isObject: Bool) async throws {
        let object = #"{"choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}"#
        let body = isObject ? object : Self.hi + Self.stop + Self.done
        let server = try FakeServer { _ in WebServerReply(200, headers: ["Content-Type": type], body: Data(body.utf8)) }
        #expect(try await server.reply().message.text == "Hi.")
    }

    @Test("a reply that breaks off is an error, and is not asked for again", arguments: [false, true])
    func brokenOff(isEmpty: Bool) async throws {
        let server = try FakeServer { _ in .stream(isEmpty ? ": wait\n\n" : Self.hi) }
        let (error, cause) = await server.failure()
        #expect(error?.code == .generationFailed && cause?.code == .interrupted)
        #expect(server.web.requests.count == 1)
    }

    @Test("a reply is whole if the connection breaks off after its end", arguments: [false, true])
    func brokenOffAfterEnd(hasEnded: Bool) async throws {
        let server = try FakeServer { _ in
            let body = Data((Self.hi + (hasEnded ? Self.stop + "data: {\"choices\":[],\"us" : "")).utf8)
            var reply = WebServerReply(
                200, headers: ["Content-Type": "text/event-stream"], body: body, length: body.count + 1_000)
            reply.pieces.append(.hangUp)
            return reply
        }
        if hasEnded {
            let reply = try await server.reply()
            #expect(reply.message.text == "Hi." && reply.finishReason == .stop)
        } else {
            #expect(await server.failure().cause?.code == .interrupted)
        }
    }

    @Test("a page in the place of a reply is told as one", arguments: ["text/html", "Text/HTML; charset=utf-8"])
    func signInPage(type: String) async throws {
        let page = Data("<html>\n\n<p>Please sign in.</p>\n".utf8)
        let server = try FakeServer { _ in WebServerReply(200, headers: ["Content-Type": type], body: page) }
        let (error, cause) = await server.failure()
        #expect(cause?.code == .invalidAnswer && error?.message.contains("sign in") == true)
        // Some servers give a reply that type.
        let other = try FakeServer { _ in
            WebServerReply(200, headers: ["Content-Type": type], body: Data((Self.hi + Self.stop).utf8))
        }
        #expect(try await other.reply().message.text == "Hi.")
    }

    @Test("an error within the reply is told, without the reply and the prompt")
    func errorInStream() async throws {
        let server = try FakeServer { _ in
            .stream(Self.hi + "data: {\"error\":{\"message\":\"No power.\",\"code\":\"server_error\"}}\n\n")
        }
        let (error, cause) = await server.failure()
        #expect(cause?.code == .serverFailed && cause?.serverCode == "server_error")
        #expect(error?.message.hasSuffix("The server says: No power.") == true)
        let other = try FakeServer { _ in .stream("data: {oops\n\n") }
        #expect(await other.failure().cause?.code == .invalidAnswer)
    }

    @Test("an answer that does not end is cut off")
    func endless() async throws {
        var limits = RemoteEndpoint.Limits()
        limits.answerBytes = 100_000
        let server = try FakeServer(limits: limits) { _ in .stream(String(repeating: Self.hi, count: 10_000)) }
        #expect(await server.failure().cause?.code == .invalidAnswer)
    }

    @Test("turns are left out until the server takes the rest, and no more than the policy says")
    func dropping() async throws {
        let server = try FakeServer { request in
            let count = (try? JSONValue(parsing: request.body))?["messages"]?.array?.count ?? 0
            guard count > 3 else { return .hi }
            return .refusal(
                400,
                [
                    "error": [
                        "message": "Too long.", "code": "context_length_exceeded", "n_prompt_tokens": 1_000,
                        "n_ctx": 4_096, "n_fit": 300,
                    ]
                ])
        }
        let old = String(repeating: "word ", count: 200)
        var messages: [ChatMessage] = [.system("Be brief.")]
        for _ in 0..<4 { messages += [.user(old), .assistant("Yes.")] }
        var request = GenerationRequest(messages: messages + [.user("And now?")])
        let (error, _) = await server.failure(request)
        #expect(error?.code == .promptExceedsContext && error?.promptTokens == 1_000 && error?.contextTokens == 300)
        request.contextPolicy = .dropOldestTurns
        let reply = try await server.reply(request)
        #expect(reply.info.prompt.droppedTurns >= 3 && reply.message.text == "Hi.")
        let sent = try #require(server.bodies.last?["messages"]?.array)
        #expect(sent.first?["role"] == "system" && sent.last?["content"] == "And now?")
    }

    @Test("a time limit ends the reply, and what came before is kept")
    func timeout() async throws {
        let gate = ThreadGate()
        defer { gate.open() }
        let server = try WebServer { _ in
            var reply = WebServerReply.stream(Self.hi)
            reply.pieces.insert(.wait(gate), at: 1)
            return reply
        }
        defer { withExtendedLifetime(server) {} }
        let clock = ManualClock()
        let runner = RemoteModelRunner(
            model: "m", at: try RemoteEndpoint(server.url(""), environment: [:]),
            client: URLSessionClient(environment: [:], reusesConnections: false, clock: clock), clock: clock)
        var options = GenerationOptions()
        options.timeout = .seconds(60)
        let (texts, text) = AsyncStream<Void>.makeStream()
        let writer = ResponseWriter { _ in text.yield() }
        // Time passes from when the text is there.
        let time = Task {
            for await _ in texts { break }
            while !Task.isCancelled {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        defer { time.cancel() }
        let outcome = try await runner.generate(
            GenerationRequest(messages: [.user("Hello!")], options: options), to: writer)
        let reply = writer.complete(outcome)
        #expect(reply.finishReason == .timeout && reply.message.text == "Hi.")
    }

    @Test("prompts are counted by the server, where it can")
    func counting() async throws {
        let server = try FakeServer { $0.path.hasSuffix("/input_tokens") ? .refusal(200, ["input_tokens": 12]) : .hi }
        #expect(try await server.runner.promptTokenCount(messages: [.user("a")], functions: [], options: nil) == 12)
        #expect(server.web.requests.map(\.path) == ["/v1/chat/completions/input_tokens"])
        let other = try FakeServer { _ in .refusal(404) }
        await #expect(throws: ConversationError.self) {
            try await other.runner.promptTokenCount(messages: [.user("a")], functions: [], options: nil)
        }
        withExtendedLifetime((server, other)) {}
    }
}
