// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyTesting
import Testing

@Suite("Clients of HTTP/1.0, and connections that are not kept", .serialized)
struct OldClientTests {
    private func text(_ request: String) async throws -> String {
        try await ServerTrial.with(ScriptedRunner(replies: ["One two."])) { trial in
            let client = try RawClient(port: trial.port)
            client.send(request)
            // To the end of the connection, as a client without a length reads.
            return await client.text()
        }
    }

    private func post(_ members: JSONObject, fields: [String] = []) -> String {
        var body: JSONObject = ["model": "scripted", "messages": [["role": "user", "content": "Hello!"]]]
        body.merge(members) { $1 }
        return ServerTrial.post("/v1/chat/completions", .object(body), fields: fields)
    }

    @Test(
        "A client of HTTP/1.0 is answered in it, without chunks, and the end of the connection is that of the answer.")
    func old() async throws {
        for fields in [[], ["Connection: keep-alive"], ["Expect: 100-continue"]] {
            for streams in [false, true] {
                let request = post(["stream": .bool(streams)], fields: fields)
                    .replacing(" HTTP/1.1\r\n", with: " HTTP/1.0\r\n")
                let text = try await text(request)
                let answer = RawAnswer(text)
                #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n"), "\(fields) \(text)")
                #expect(answer["connection"] == "close" && answer["transfer-encoding"] == nil, "\(fields)")
                if streams {
                    #expect(answer.events.last == "[DONE]" && text.hasSuffix("data: [DONE]\n\n"), "\(text)")
                } else {
                    #expect(answer.json["choices"]?[0]?["message"]?["content"] == "One two.", "\(text)")
                }
            }
        }
    }

    @Test(
        "A connection ends after the request that says so, however it spells it.",
        arguments: ["close", "Close", "TE, close"])
    func ending(_ value: String) async throws {
        let text = try await text(ServerTrial.get("/health", fields: ["Connection: \(value)"]))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(RawAnswer(text)["connection"] == "close")
        #expect(!text.contains(RawClient.endless))
    }

    @Test("A client that offers another protocol, as those in Java do, is answered, and the connection ends.")
    func offering() async throws {
        let fields = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAAA"]
        for request in [ServerTrial.get("/health", fields: fields), post([:], fields: fields)] {
            let text = try await text(request)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(text)")
            #expect(RawAnswer(text)["connection"] == "close")
            #expect(!text.contains(RawClient.endless))
        }
    }
}
