// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import Testing

@Suite("Events of a stream")
struct StreamEncoderTests {
    private let start = ContinuousClock.now

    private func encoder(includesUsage: Bool = false) -> StreamEncoder {
        StreamEncoder(
            ChatCompletionStreamWriter(id: "id", created: 7, model: "m", includesUsage: includesUsage),
            silence: .seconds(5), now: start)
    }

    private func completion(_ text: String) -> MessageCompletion {
        MessageCompletion(
            message: .assistant(text),
            info: GenerationInfo(
                finishReason: .stop, stats: GenerationStats(promptTokens: 3, completionTokens: 2)))
    }

    private func deltas(_ text: String) throws -> [ChatCompletionChunk.Delta] {
        try text.split(separator: "\n\n").filter { $0 != "data: [DONE]" }.flatMap {
            try ChatCompletionChunk(reading: $0.dropFirst(6).utf8).deltas
        }
    }

    @Test("An event is sent with its id and its name, where it has them.")
    func events() {
        #expect(StreamEvent(data: "{}").text == "data: {}\n\n")
        #expect(StreamEvent("a", data: "{}").text == "event: a\ndata: {}\n\n")
        #expect(StreamEvent("a", data: "{}", id: "x.2").text == "id: x.2\nevent: a\ndata: {}\n\n")
    }

    @Test("Any cutting of a reply gives the same joined deltas.")
    func cutting() throws {
        let whole = "Wie schön 🙂 das ist, sagte sie."
        var results: Set<String> = []
        for size in 1...whole.count {
            var encoder = encoder()
            var text = encoder.text(for: .accepted(choice: 0), now: start)
            var rest = Array(whole)[...]
            while !rest.isEmpty {
                text += encoder.text(for: .response(.chunk(String(rest.prefix(size))), choice: 0), now: start)
                rest = rest.dropFirst(size)
            }
            text += encoder.text(for: .complete(completion(whole), choice: 0), now: start)
            text += encoder.text(for: .end, now: start)
            #expect(text.hasSuffix("data: [DONE]\n\n"))
            let deltas = try deltas(text)
            #expect(deltas.first?.role == .assistant)
            #expect(deltas.last?.finishReason == .stop)
            results.insert(deltas.compactMap(\.content).joined())
        }
        #expect(results == [whole])
    }

    @Test("A silence is broken by a comment line, and by nothing sooner.")
    func silence() {
        var encoder = encoder()
        func tick(_ seconds: Int) -> String {
            let now = start + .seconds(seconds)
            return encoder.text(for: .tick(now), now: now)
        }
        #expect(tick(4) == "")
        #expect(tick(5).hasPrefix(": "))
        #expect(tick(9) == "")
        #expect(tick(10).hasPrefix(": "))
        _ = encoder.text(for: .response(.chunk("a"), choice: 0), now: start + .seconds(14))
        #expect(tick(15) == "")
        #expect(tick(19).hasPrefix(": "))
    }

    @Test("A failure is an event with the error, after which nothing comes, not even the mark of the end.")
    func failure() throws {
        var encoder = encoder()
        let error = ServerError(500, .engineFailed, "No power.")
        let text = encoder.text(for: .failed(error), now: start)
        let json = try JSONValue(parsing: text.dropFirst(6))
        #expect(json["error"]?["code"] == "engine_failed")
        #expect(json["error"]?["type"] == "server_error")
        #expect(encoder.text(for: .end, now: start) == "")
    }

    @Test("Usage is told once, in a chunk without choices before the end, where it is asked for.")
    func usage() throws {
        var encoder = encoder(includesUsage: true)
        var text = encoder.text(for: .accepted(choice: 0), now: start)
        text += encoder.text(for: .complete(completion("a"), choice: 0), now: start)
        text += encoder.text(for: .end, now: start)
        let chunks = try text.split(separator: "\n\n").dropLast().map { try JSONValue(parsing: $0.dropFirst(6).utf8) }
        #expect(chunks.map { $0["usage"]?["total_tokens"]?.integer } == [nil, nil, 5])
        #expect(chunks.dropLast().allSatisfy { $0["usage"] == .null })
        #expect(chunks.last?["choices"] == [])
    }
}
