// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyTestSupport
import Testing

@Suite("parley chat --remote and bench --serve", .timeLimit(.minutes(15)))
struct RemoteCommandTests {
    /// A server with some models, all of which say `Hi.`, of which each word is a token.
    private func server(models: [String], key: String? = nil) throws -> WebServer {
        let list = JSONValue.object(["data": .array(models.map { ["id": .string($0), "context_length": 2_048] })])
        return try WebServer { request in
            func answer(_ status: Int, _ type: String, _ text: String) -> WebServerReply {
                WebServerReply(status, headers: ["Content-Type": type], body: Data(text.utf8))
            }
            if let key, request.headers["authorization"] != "Bearer \(key)" {
                return answer(401, "application/json", #"{"error":{"message":"Who is there?"}}"#)
            }
            switch request.path {
            case "/v1/models": return answer(200, "application/json", list.text())
            case "/v1/chat/completions":
                let body = (try? JSONValue(parsing: request.body)) ?? .null
                guard models.contains(body["model"]?.string ?? "") else {
                    return answer(
                        404, "application/json", #"{"error":{"code":"model_not_found","message":"None such."}}"#)
                }
                let words = (body["messages"]?.array?.last?["content"]?.string ?? "").split(separator: " ").count
                return answer(
                    200, "text/event-stream",
                    """
                    data: {"choices":[{"index":0,"delta":{"content":"Hi "}}]}

                    data: {"choices":[{"index":0,"delta":{"content":"there."},"finish_reason":"stop"}]}

                    data: {"choices":[],"usage":{"prompt_tokens":\(words + 2),"completion_tokens":2}}

                    data: [DONE]


                    """)
            default: return answer(404, "text/plain", "")
            }
        }
    }

    @Test("a server replies in the place of a model, and its only model need not be named")
    func chat() async throws {
        let server = try server(models: ["one"])
        let parley = try ParleyProcess()
        for more in [[], ["--model", "one"]] {
            let outcome = try await parley.run(["chat", "--remote", server.root] + more, input: "hello\n")
            #expect(outcome.status == 0 && outcome.text == "Hi there.\n", "\(outcome.errors)")
        }
        #expect(server.requests.map(\.path).filter { $0 == "/v1/chat/completions" }.count == 2)
    }

    @Test("a server replies in the assistant too, whose model writes blocks unless the server says that it takes tools")
    func assistant() async throws {
        let server = try server(models: ["one", "two"])
        let parley = try ParleyProcess()
        let outcome = try await parley.run(
            ["assistant", "--remote", server.root, "--model", "two"], input: "hello\n")
        #expect(outcome.status == 0 && outcome.text.contains("Hi there."), "\(outcome.errors)")
        let request = try #require(server.requests.last { $0.path == "/v1/chat/completions" })
        let body = try JSONValue(parsing: request.body)
        #expect(body["model"] == "two")
        #expect(body["tools"] == nil)
        #expect(body["messages"]?[0]?["content"]?.string?.contains("CALENDAR_ACTION") == true)
        for (more, message) in [
            (["--keep-cache"], "leave out --keep-cache"), (["--context", "512"], "leave out --context"),
            (["smollm2-360m"], "name the model of the server with --model"),
        ] {
            let outcome = try await parley.run(["assistant", "--remote", server.root] + more)
            #expect(outcome.status != 0 && outcome.errors.contains(message), "\(outcome.errors)")
        }
        let unnamed = try await parley.run(["assistant", "--model", "one"])
        #expect(unnamed.status != 0 && unnamed.errors.contains("--model goes with --remote"), "\(unnamed.errors)")
    }

    @Test("the length of an answer that is given comes before the settings, also where it is the usual one")
    func answerLength() async throws {
        let server = try server(models: ["one"])
        let parley = try ParleyProcess()
        try parley.write(#"{"answer_tokens": 5}"#, to: "settings.json")
        var limits: [Int] = []
        for more in [[], ["--max-tokens", "1024"]] {
            let outcome = try await parley.run(["assistant", "--remote", server.root] + more, input: "hello\n")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let request = try #require(server.requests.last { $0.path == "/v1/chat/completions" })
            let body = try JSONValue(parsing: request.body)
            limits.append(try #require((body["max_tokens"] ?? body["max_completion_tokens"])?.integer))
        }
        // Both may have as many tokens of thinking beside them.
        #expect(limits[1] - limits[0] == 1_024 - 5)
    }

    @Test("messages say what is wrong: no server, a path, a model, a key")
    func failures() async throws {
        let several = try server(models: ["one", "two"])
        let locked = try server(models: ["one"], key: "right")
        let gone = try server(models: []).root
        let parley = try ParleyProcess()
        try parley.write("wrong\n", to: "wrong.key")
        try parley.write("right\n", to: "right.key")
        for name in ["wrong.key", "right.key"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: parley.directory.appending(path: name).path)
        }
        for (arguments, message) in [
            (["--remote", several.root], "several models. Choose one with --model: one, two."),
            (["--remote", several.root, "--model", "three"], "It has: one, two."),
            (["--remote", several.root, "--model", "three"], "does not have this model. The server says: None such."),
            (
                ["--remote", several.root + "/api"],
                "has nothing at /api/models; most servers have their API under /v1."
            ),
            (["--remote", locked.root], "wants a key. The server says: Who is there?"),
            (["--remote", locked.root, "--key-file", "wrong.key"], "does not accept this key."),
            (["--remote", gone], "There is no server at"),
        ] {
            let outcome = try await parley.run(["chat"] + arguments, input: "hello\n")
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(outcome.errors.contains(message), "\(arguments): \(outcome.errors)")
            #expect(!outcome.errors.contains("wrong\n"))
        }
        let plain = try await parley.run("chat", "--remote", "http://a.example/v1", input: "hello\n")
        #expect(plain.status == 2 && plain.errors.contains("use https"), "\(plain.errors)")
        let open = try await parley.run(
            "chat", "--remote", locked.root, "--key-file", "right.key", input: "hello\n")
        #expect(open.status == 0 && open.text == "Hi there.\n")
        withExtendedLifetime((several, locked)) {}
    }

    @Test(
        "options that have no meaning together are wrong usage",
        arguments: [
            ["chat", "--model", "one"], ["chat", "--key-file", "x"],
            ["chat", "smollm2", "--remote", "http://localhost"],
            ["chat", "--remote", "http://localhost", "--context", "9"], ["bench"],
            ["bench", "tiny.gguf", "--serve", "http://localhost"], ["bench", "tiny.gguf", "--model", "one"],
            ["bench", "--serve", "http://localhost", "--streams", "0"],
            ["bench", "tiny.gguf", "--replies", "--serve", "http://localhost"],
            ["bench", "tiny.gguf", "--replies", "--depth", "5"], ["bench", "--replies"],
            ["bench", "--serve", "http://localhost", "--common-prompt", "-1"],
            ["bench", "tiny.gguf", "--streams", "2"], ["bench", "tiny.gguf", "--streams", "1,4,16"],
            ["bench", "tiny.gguf", "--long-prompt", "4096"], ["bench", "tiny.gguf", "--replies", "--depth", "0"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await ParleyProcess().run(arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
    }

    @Test(
        "what a model of this machine would be loaded with is refused beside a server",
        arguments: [
            ["--engine", "native"], ["--threads", "2"], ["--isa", "generic"], ["--power", "quiet"],
            ["--cache-type", "q8_0"], ["--offline"],
        ])
    func loading(options: [String]) async throws {
        let parley = try ParleyProcess()
        for command in [["chat", "--remote"], ["assistant", "--remote"], ["bench", "--serve"]] {
            let outcome = try await parley.run(command + ["http://localhost"] + options)
            #expect(outcome.status == 2 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("nothing is loaded here"), "\(command): \(outcome.errors)")
            #expect(outcome.errors.contains(options[0]), "\(command): \(outcome.errors)")
        }
    }

    @Test("the threads of a speech model may be told beside a server")
    func threadsOfSpeech() async throws {
        let outcome = try await ParleyProcess().run(
            "chat", "--remote", "http://localhost", "--threads", "2", "--voice")
        #expect(outcome.status == 2 && outcome.errors.contains("for a chat on a terminal"), "\(outcome.errors)")
    }

    @Test("that a full context cut a piped answer off is told")
    func fullContext() async throws {
        let server = try WebServer { request in
            let isList = request.path == "/v1/models"
            let text =
                isList
                ? #"{"data":[{"id":"one"}]}"#
                : """
                data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"length","stop_reason":"context_full"}]}

                data: [DONE]


                """
            return WebServerReply(
                200, headers: ["Content-Type": isList ? "application/json" : "text/event-stream"],
                body: Data(text.utf8))
        }
        let outcome = try await ParleyProcess().run("chat", "--remote", server.root, input: "hello\n")
        #expect(outcome.status == 0 && outcome.text == "Hi\n", "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("The context is full, which cut the reply off;"), "\(outcome.errors)")
        withExtendedLifetime(server) {}
    }

    @Test("a server is measured, and what does not fit into its context is left out")
    func bench() async throws {
        let server = try server(models: ["one"])
        let parley = try ParleyProcess()
        let options = ["bench", "--serve", server.root, "--repetitions", "1", "--streams", "1,2"]
        let outcome = try await parley.run(options + ["--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try JSONValue(parsing: outcome.text)
        #expect(json["model"] == "one" && json["long_prompt_tokens"] == 0 && json["common_tokens"] == 1_024)
        #expect(json["tokens_per_second"]?.array?.compactMap { $0["streams"]?.integer } == [1, 2])
        #expect(json["crowd_first_token_p50_seconds"]?["median"]?.number ?? 0 > 0)
        let skipping = try await parley.run(options + ["--json", "--common-prompt", "0", "--prompt-tokens", "0"])
        let short = try JSONValue(parsing: skipping.text)
        #expect(short["crowd_first_token_p50_seconds"] == nil && short["first_token_seconds"] == nil)
        let table = try await parley.run(options)
        #expect(table.text.contains("2 replies at a time") && table.text.contains("with 1024 in common, p50"))
        withExtendedLifetime(server) {}
    }
}
