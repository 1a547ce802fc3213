// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyHTTP
import ParleyJSON
import ParleyOpenAI
import ParleyRuntime

/// Damaged requests of clients, and damaged streams of servers, cut anywhere. A request that is read is written so that
/// it is read as the same again.
struct OpenAIFuzz: FuzzSubject {
    static let name = "openai"

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "0", "-1", "1e99", "9223372036854775808",
        "\"role\":\"tool\",", "\"tool_calls\":[{}],", "\"content\":null,", "\"content\":[],", "\"name\":\"x\",",
        "\"stop\":[],", "\"n\":2,", "data:image/png;base64,", "\n", "\n\n", "\r", "data: ", ": ", "event: error\n",
        "retry: 99999999999999999999\n", "[DONE]", "\u{0}", "\u{FEFF}", "é",
    ].map { Array($0.utf8) }
    private static let requests = [
        #"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}],"temperature":0.5,"stop":["a","b"],"seed":-1,"stream":true,"stream_options":{"include_usage":true}}"#,
        #"{"model":"m","messages":[{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":{"type":"function","function":{"name":"f"}},"max_completion_tokens":5}"#,
        #"{"model":"m","messages":[{"role":"user","content":"u"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}},"reasoning_effort":"low","top_p":0.1,"n":2}"#,
    ].map { Array($0.utf8) }
    private static let stream = Array(
        """
        data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}

        : comment

        data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hi","reasoning_content":"r"}}]}

        data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{"}}]}}]}

        data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}

        data: [DONE]


        """.utf8)

    func run(_ random: inout SplitMix64) throws {
        if random.oneIn(2) {
            try checkRequest(random.mutated(random.pick(Self.requests), with: Self.pieces))
        } else {
            let bytes = random.mutated(Self.stream, changes: 6, with: Self.pieces)
            let events = Self.events(of: bytes, cutAt: bytes.count)
            guard events == Self.events(of: bytes, cutAt: random.int(0...bytes.count)) else {
                throw FuzzFailure("Events depend on the pieces in which they come.")
            }
            var reader = ChatCompletionStreamReader()
            for event in events ?? [] where event.data != "[DONE]" {
                guard let chunk = try? ChatCompletionChunk(reading: event.data.utf8) else { continue }
                _ = try? reader.read(chunk)
            }
            _ = reader.finish()
        }
    }

    private func checkRequest(_ bytes: [UInt8]) throws {
        guard let request = try? ChatCompletionRequest(reading: bytes) else { return }
        guard let json = try? request.json() else { throw FuzzFailure("A request that was read cannot be written.") }
        // The JSON is compared, because each message that is read has an identifier of its own.
        guard let again = try? ChatCompletionRequest(json), (try? again.json()) == json else {
            throw FuzzFailure("A request is written as another: \(json.text())")
        }
    }

    private static func events(of bytes: [UInt8], cutAt place: Int) -> [ServerSentEvent]? {
        var parser = ServerSentEventParser()
        parser.longestLine = 4_000
        var events: [ServerSentEvent] = []
        do {
            try parser.read(bytes[..<place], into: &events)
            try parser.read(bytes[place...], into: &events)
            return events
        } catch {
            return nil
        }
    }
}
