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
        #"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}}]}],"temperature":0.5,"stop":["a","b"],"seed":-1,"stream":true,"stream_options":{"include_usage":true}}"#,
        #"{"model":"m","messages":[{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":{"type":"function","function":{"name":"f"}},"max_completion_tokens":5}"#,
        #"{"model":"m","messages":[{"role":"user","content":"u"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}},"reasoning_effort":"low","top_p":0.1,"n":2}"#,
    ].map { Array($0.utf8) }
    private static let responses = [
        #"{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}]},{"type":"reasoning","summary":[{"type":"summary_text","text":"r"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"o"}],"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"text":{"format":{"type":"json_object"}},"instructions":"i","reasoning":{"effort":"low"},"include":["message.output_text.logprobs"],"top_logprobs":2}"#
    ].map { Array($0.utf8) }
    private static let anthropic = [
        #"{"model":"m","max_tokens":9,"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"text","text":"t"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}}]},{"role":"assistant","content":[{"type":"thinking","thinking":"h","signature":""},{"type":"tool_use","id":"c","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"r"}]}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"},"thinking":{"type":"enabled","budget_tokens":1024},"stop_sequences":["a"]}"#
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
        switch random.int(0...3) {
        case 0: try checkRequest(random.mutated(random.pick(Self.requests), with: Self.pieces))
        case 1:
            let bytes = random.mutated(random.pick(Self.responses), with: Self.pieces)
            if let request = try? ResponsesRequest(reading: bytes) { try check(request.chat) }
        case 2:
            let bytes = random.mutated(random.pick(Self.anthropic), with: Self.pieces)
            if let request = try? AnthropicRequest(reading: bytes) { try check(request.chat) }
        default:
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
        if let request = try? ChatCompletionRequest(reading: bytes) { try check(request) }
    }

    /// Checks that a request is written so that it is read as the same again, whatever its form was.
    private func check(_ request: ChatCompletionRequest) throws {
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
