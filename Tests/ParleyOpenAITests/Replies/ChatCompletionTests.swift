// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import Testing

@Suite("Chat completions")
struct ChatCompletionTests {
    @Test("OpenAI's own examples are read")
    func examples() throws {
        var count = 0
        for example in try Example.all() {
            for answer in example.answers where answer["object"] == "chat.completion" {
                count += 1
                let completion = try ChatCompletion(answer)
                let choice = try #require(completion.choices.first)
                #expect(completion.id == answer["id"]?.string)
                #expect(choice.message.role == .assistant)
                #expect(completion.usage?.promptTokens == answer["usage"]?["prompt_tokens"]?.integer)
                #expect(choice.finishReason == (example.title == "Functions" ? .functionCall : .stop))
                if example.title == "Functions" {
                    #expect(choice.message.functionCalls?.first?["location"] == "Boston, MA")
                }
                #expect(choice.logprobs.isNull == (example.title != "Logprobs"))
                #expect(try ChatCompletion(completion.json()) == completion)
            }
        }
        #expect(count == 6)
    }

    @Test("what is written is read as the same answer", arguments: 0..<100 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = RandomWire(seed: seed)
        let head = CompletionHead(
            id: random.text(), created: random.int(0 ... .max), model: random.text(),
            usage: random.maybe { $0.stats() }, systemFingerprint: random.maybe { $0.text() },
            others: ["timings": ["prompt_n": 3]])
        let completion = ChatCompletion(
            head,
            choices: (0...random.int(0...3)).map { index in
                ChatCompletion.Choice(index: index, message: random.reply(), finishReason: random.finishReason())
            })
        #expect(try ChatCompletion(reading: completion.json().text().utf8) == completion)
    }

    @Test("an answer has OpenAI's members, also where they say nothing")
    func form() throws {
        let reply = MessageCompletion(
            message: .assistant("Hi"),
            info: .init(
                finishReason: .contextFull,
                stats: .init(promptTokens: 5, cachedPromptTokens: 3, completionTokens: 2, reasoningTokens: 1)))
        let json = try ChatCompletion(reply, id: "chatcmpl-1", created: 7, model: "m", systemFingerprint: "fp").json()
        #expect(
            json.text() == """
                {"id":"chatcmpl-1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":\
                {"role":"assistant","content":"Hi","refusal":null},"logprobs":null,"finish_reason":"length",\
                "stop_reason":"context_full"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,\
                "prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":1}},\
                "system_fingerprint":"fp"}
                """)
    }

    @Test("what servers add or leave out is no fault")
    func tolerance() throws {
        let text = #"""
            {"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [{"index": 0, "id": "1",
            "function": {"name": "f", "arguments": ""}}], "annotations": [], "audio": null}, "finish_reason": "odd",
            "stop_reason": 151645, "matched_stop": 3}], "kv": {}, "usage": {"prompt_tokens": 3}}
            """#
        let completion = try ChatCompletion(reading: text.utf8)
        #expect(completion.choices.first?.message.functionCalls == [FunctionCall(id: "1", name: "f", arguments: [:])])
        #expect(completion.choices.first?.finishReason == .stop)
        #expect(completion.usage == GenerationStats(promptTokens: 3, completionTokens: 0))
        #expect(completion.others.keys == ["kv"])
    }

    @Test(
        "an error is thrown as what the server says",
        arguments: [
            (#"{"error": {"message": "no", "type": "rate_limit_error", "param": null, "code": "slow"}}"#, "no", "slow"),
            (#"{"error": {"message": "no", "code": 429}}"#, "no", "429"), (#"{"error": "no"}"#, "no", nil),
        ] as [(String, String, String?)])
    func errors(text: String, message: String, code: String?) {
        let error = #expect(throws: OpenAIError.self) { try ChatCompletion(reading: text.utf8) }
        #expect(error?.message == message)
        #expect(error?.code?.rawValue == code)
        #expect(error.flatMap { OpenAIError($0.json) } == error)
    }

    @Test(
        "tokens of a text begin where the text before them ends, also inside characters",
        arguments: 0..<50 as Range<UInt64>)
    func offsets(seed: UInt64) {
        var random = RandomWire(seed: seed)
        let bytes: [UInt8] = [0x61, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 0x80, 0xFF]
        let tokens = (0..<40).map { _ in
            let start = random.int(0...bytes.count - 1)
            let end = random.int(start...bytes.count)
            return TokenProbability(.init(token: 1, bytes: Array(bytes[start..<end]), logprob: -1))
        }
        var text: [UInt8] = []
        let offsets = tokens.map { token in
            defer { text += token.chosen.bytes }
            return JSONValue.integer(7 + String(decoding: text, as: UTF8.self).unicodeScalars.count)
        }
        #expect(TextCompletion.logprobs(tokens, offset: 7)["text_offset"] == .array(offsets))
    }

    @Test("hostile answers are refused by name", arguments: ["[]", "{}", #"{"choices": 3}"#, #"{"choices": [{}]}"#])
    func hostile(text: String) {
        #expect(throws: OpenAIError.self) { try ChatCompletion(reading: text.utf8) }
    }
}
