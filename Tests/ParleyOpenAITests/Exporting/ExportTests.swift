// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Export and import")
struct ExportTests {
    static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])
    static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 9])

    static let history: [ChatMessage] = [
        .system("Be brief."),
        ChatMessage(
            role: .user,
            content: [.text("What is \"this\"?\n\u{1}é"), .image(png), .image(jpeg), .audio(Data("RIFF".utf8))],
            name: "Anna"),
        ChatMessage(
            role: .assistant, content: [], reasoningContent: "Hm.",
            functionCalls: [
                FunctionCall(
                    id: "call00001", name: "look", arguments: ["z": 1, "a": 1.0, "n": .null, "l": [true, "\""]]),
                FunctionCall(id: "call00002", name: "hear", arguments: [:]),
            ], rawOutput: "<think>Hm.</think>…"),
        ChatMessage(role: .tool, content: [.text("sun")], functionCallID: "call00001", name: "look"),
        ChatMessage(role: .assistant, content: [.text("")], functionCalls: []),
    ]

    let runner = ScriptedRunner(replies: [])

    @Test("The format is that of chat completions")
    func form() throws {
        let conversation = Conversation(modelRunner: runner, history: Array(Self.history.dropFirst(2)))
        let text = String(decoding: try conversation.exportToJSON(), as: UTF8.self)
        #expect(
            text == """
                [{"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[{"id":"call00001",\
                "type":"function","function":{"name":"look","arguments":\
                "{\\"z\\":1,\\"a\\":1.0,\\"n\\":null,\\"l\\":[true,\\"\\\\\\"\\"]}"}},{"id":"call00002",\
                "type":"function","function":{"name":"hear","arguments":"{}"}}]},\
                {"role":"tool","name":"look","content":[{"type":"text","text":"sun"}],"tool_call_id":"call00001"},\
                {"role":"assistant","content":[{"type":"text","text":""}],"tool_calls":[]}]
                """)
    }

    @Test(
        "Export, import and export again give the same bytes, and the same history but for raw output",
        arguments: [
            history, PreviewConversations.greeting, PreviewConversations.reasoning, PreviewConversations.functionCall,
            PreviewConversations.long, [],
        ])
    func roundTrip(history: [ChatMessage]) throws {
        let data = try Conversation(modelRunner: runner, history: history).exportToJSON()
        let copy = try Conversation(importing: data, modelRunner: runner)
        #expect(try copy.exportToJSON() == data)
        var expected = history
        for index in expected.indices { expected[index].rawOutput = nil }
        #expect(copy.history == expected)
    }

    @Test("Encoding and decoding a history loses nothing", arguments: [history, PreviewConversations.reasoning])
    func codable(history: [ChatMessage]) throws {
        let data = try JSONEncoder().encode(history)
        #expect(try JSONDecoder().decode([ChatMessage].self, from: data) == history)
    }

    @Test("A developer stays one")
    func developer() throws {
        let data = Data(#"[{"role": "developer", "content": "Be brief."}]"#.utf8)
        #expect(
            try Conversation(importing: data, modelRunner: runner).history == [
                ChatMessage(role: .developer, content: [.text("Be brief.")])
            ])
    }

    @Test("Content may be a plain string")
    func plainContent() throws {
        let data = Data(#"[{"role": "user", "content": "Hi"}, {"role": "assistant"}]"#.utf8)
        let history = try Conversation(importing: data, modelRunner: runner).history
        #expect(history == [.user("Hi"), ChatMessage(role: .assistant, content: [])])
    }

    @Test(
        "Errors name what is unknown or wrong",
        arguments: [
            (
                #"[{"role": "user", "content": ""}, {"role": "king", "content": "x"}]"#,
                "messages[1].role must be one of"
            ),
            (#"[{"content": "x"}]"#, "messages[0].role is missing"),
            (#"[{"role": "user", "content": [{"type": "video_url"}]}]"#, "content[0].type must be one of text"),
            (#"[{"role": "user", "content": [{"type": "text"}]}]"#, "content[0].text is missing"),
            (#"[{"role": "user", "content": 3}]"#, "content must be a string or a list"),
            (
                #"[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x"}}]}]"#,
                "no data URL"
            ),
            (
                #"[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}]"#,
                "no data URL"
            ),
            (
                #"[{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "mp3"}}]}]"#,
                "format must be wav"
            ),
            (#"[{"role": "assistant", "tool_calls": [{"id": "1"}]}]"#, "tool_calls[0].function.name is missing"),
            (
                #"[{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "[]"}}]}]"#,
                "JSON object"
            ),
            (#"[{"role": "user", "name": 3, "content": "x"}]"#, "name must be a string"),
            ("{}", "messages must be a list"), ("[3]", "messages[0] must be an object"), ("[", "not the JSON"),
        ])
    func errors(text: String, message: String) throws {
        let error = try #require(throws: ConversationError.self) {
            try Conversation(importing: Data(text.utf8), modelRunner: runner)
        }
        #expect(error.code == .serializationFailed)
        #expect(error.message.contains(message), "\(error.message)")
    }

    @Test("Too deep nesting is refused, in a file and by any decoder")
    func depth() throws {
        let nested = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let text = #"[{"role": "user", "content": \#(nested)}]"#
        #expect(throws: ConversationError.self) { try Conversation(importing: Data(text.utf8), modelRunner: runner) }
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode([ChatMessage].self, from: Data(text.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.debugDescription.contains("nested too deeply"))
    }

    @Test("An image that is neither JPEG nor PNG cannot be exported")
    func unknownImage() throws {
        let conversation = Conversation(
            modelRunner: runner, history: [ChatMessage(role: .user, content: [.image(Data([1, 2]))])])
        let error = try #require(throws: ConversationError.self) { try conversation.exportToJSON() }
        #expect(error.code == .serializationFailed)
    }
}
