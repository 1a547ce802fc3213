// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTesting
import Testing

@Suite("parley assistant")
struct AssistantCommandTests {
    private let parley: ParleyProcess

    init() async throws {
        parley = try ParleyProcess()
        var model = TinyModel()
        model.context = 8_192
        try parley.writeModel(model)
    }

    @Test(
        "options of other commands that mean nothing here are refused, and told why; the help does not list them",
        arguments: ["schema", "stop"])
    func refused(_ option: String) async throws {
        try parley.write("{}", to: "schema.json")
        let outcome = try await parley.run("assistant", "tiny.gguf", "--\(option)", "schema.json")
        #expect(outcome.status == 2 && outcome.text.isEmpty)
        #expect(outcome.errors.contains("--\(option) is not for the assistant"))
        #expect(try await !parley.run("help", "assistant").text.contains("--\(option) <"))
        #expect(try await parley.run("help", "run").text.contains("--\(option) <"))
    }

    @Test(
        "a signal that ends it in the middle of a chat saves the chat and its cache first", arguments: ["TERM", "HUP"])
    func signal(_ name: String) async throws {
        // The reply is read up to its end or its first line break; both are a moment in which the cache is in use.
        let outcome = try await parley.run(
            script: """
                /usr/bin/mkfifo in out || exit 9
                "$PARLEY" assistant tiny.gguf --keep-cache --max-tokens 12 --temperature 1 --seed 1 <in >out 2>errors & pid=$!
                exec 3>in 4<out
                echo Hello >&3
                read -r line <&4 || { read -r line <errors; echo "$line" >&2; exit 8; }
                kill -\(name) $pid
                wait $pid
                """)
        #expect(outcome.status == (name == "TERM" ? 143 : 129), "\(outcome.errors)")
        let caches = try FileManager.default.contentsOfDirectory(
            atPath: parley.directory.appending(path: "cache/chats").path)
        #expect(caches.contains { UUID(uuidString: $0) != nil }, "\(caches)")
        let listed = try await parley.run(["assistant", "tiny.gguf"], input: "/chats\n")
        #expect(listed.text.contains("Hello") && listed.text.contains("2 messages"))
    }

    @Test("a signal that was ignored at the start stays ignored, as nohup wants it")
    func ignoredSignal() async throws {
        let outcome = try await parley.run(
            script: """
                /usr/bin/mkfifo in out || exit 9
                trap '' HUP
                "$PARLEY" assistant tiny.gguf --max-tokens 12 --temperature 1 --seed 1 <in >out 2>errors & pid=$!
                exec 3>in 4<out
                echo Hello >&3
                read -r line <&4 || exit 8
                kill -HUP $pid
                echo Again >&3
                read -r line <&4
                exec 3>&-
                wait $pid
                """)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("a chat is exported with all its branches, and imported in another home")
    func exchange() async throws {
        let outcome = try await parley.run(
            ["assistant", "tiny.gguf", "--max-tokens", "4", "--temperature", "1", "--seed", "1"],
            input: "First\nSecond\n/branch 1\nThird\n/export all.json\n/export shown.md\n/export shown.txt\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let value = try JSONValue(
            parsing: try Data(contentsOf: parley.directory.appending(path: "all.json")))
        #expect(value["parley_chat"]?.integer == 1 && value["messages"]?.array?.count == 6)
        let shown = try String(contentsOf: parley.directory.appending(path: "shown.md"), encoding: .utf8)
        #expect(shown.contains("\nThird\n") && !shown.contains("\nSecond\n"))
        let other = try ParleyProcess()
        try other.writeModel()
        try FileManager.default.copyItem(
            at: parley.directory.appending(path: "all.json"), to: other.directory.appending(path: "all.json"))
        let imported = try await other.run(
            ["assistant", "tiny.gguf"], input: "/import all.json\n/open 1\n/import tiny.gguf\n")
        #expect(imported.status == 1 && imported.text.contains("Third") && !imported.text.contains("Second"))
        #expect(imported.errors.contains("JSON"))
    }

    @Test(
        "a command that is piped in and fails is told, and the status says so",
        arguments: ["/open 7", "/undo", "/branch 3", "/opne 1", "/attach none.txt", "/export chat.pdf"])
    func failing(_ command: String) async throws {
        let outcome = try await parley.run(
            ["assistant", "tiny.gguf", "--max-tokens", "4", "--temperature", "1", "--seed", "1"],
            input: "First\n\(command)\n/chats\n")
        #expect(outcome.status == 1 && outcome.text.contains("2 messages"), "\(outcome.errors)")
        #expect(outcome.errors.contains("parley: "), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: parley.directory.appending(path: "chat.pdf").path))
    }

    @Test("an image that would take gigabytes is not attached")
    func hugeImage() async throws {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        bytes += Array("IHDR".utf8)
        bytes += [8, 0, 0, 1, 0, 0, 0, 1]
        try Data(bytes).write(to: parley.directory.appending(path: "huge.png"))
        let outcome = try await parley.run(["assistant", "tiny.gguf"], input: "/attach huge.png\n")
        #expect(outcome.status == 1 && outcome.errors.contains("134217729 × 1 pixels"), "\(outcome.errors)")
    }

    @Test("a model that is too small for actions is told as such, once")
    func smallModel() async throws {
        let outcome = try await parley.run(
            ["assistant", "tiny.gguf", "--max-tokens", "4", "--temperature", "1", "--seed", "1"],
            input: "First\n/log\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errorLines.filter { $0.hasPrefix("This model seldom proposes actions") }.count == 1)
    }

    @Test("each reply as JSON has the same order of members, a time of ISO 8601 and reasons in snake case")
    func json() async throws {
        var orders: [[String]] = []
        for _ in 0..<2 {
            let outcome = try await parley.run(
                ["assistant", "tiny.gguf", "--json", "--max-tokens", "4", "--temperature", "1", "--seed", "1"],
                input: "First\n")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let line = try #require(outcome.text.split(separator: "\n").last)
            let reply = try #require(try JSONValue(parsing: line).object)
            _ = try Date(reply["date"]?.string ?? "", strategy: .iso8601)
            let ended = reply["receipt"]?["ended"]?.string
            #expect(ended?.contains(where: \.isUppercase) == false)
            orders.append(Array(reply.keys))
        }
        #expect(orders[0] == orders[1] && orders[0].contains("is_streaming"))
    }

    @Test("with --json only replies go to standard output; what commands show goes beside it")
    func jsonAlone() async throws {
        let outcome = try await parley.run(
            ["assistant", "tiny.gguf", "--json", "--max-tokens", "4", "--temperature", "1", "--seed", "1"],
            input: "First\n/chats\n/open 1\n/help\n/log\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count == 1 && outcome.text.hasSuffix("\n"), "\(outcome.text)")
        for line in lines { #expect(try JSONValue(parsing: line).object != nil) }
        #expect(outcome.errors.contains("2 messages") && outcome.errors.contains("/undo"), "\(outcome.errors)")
    }

    @Test("a search lists a chat once whose title is the message that was found")
    func search() async throws {
        let outcome = try await parley.run(
            ["assistant", "tiny.gguf", "--max-tokens", "4", "--temperature", "1", "--seed", "1"],
            input: "Zebras in the rain\n/search zebras\n")
        #expect(outcome.text.components(separatedBy: "Zebras in the rain").count == 2, "\(outcome.text)")
    }

    @Test("tools are listed as a whole where nobody's terminal is too narrow for them")
    func tools() async throws {
        let outcome = try await parley.run(["assistant", "tiny.gguf"], input: "/tools\n")
        #expect(outcome.status == 0 && outcome.text.contains("reminders") && !outcome.text.contains("…"))
    }

    @Test("a piped line that is no text is not sent to the model, and is a failure")
    func noText() async throws {
        let outcome = try await parley.run(
            script: "printf 'caf\\351\\n/help\\n' | \"$PARLEY\" assistant tiny.gguf --max-tokens 4")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("A line of the input is not text in UTF-8."), "\(outcome.errors)")
        #expect(outcome.text.contains("/undo"), "The next line is taken.")
    }

    @Test("settings that cannot be read are told with the path of their file")
    func settings() async throws {
        try parley.write(#"{"enrich": 1}"#, to: "settings.json")
        let outcome = try await parley.run("remind", "--offline")
        #expect(outcome.status == 1 && outcome.errors.contains("enrich must be true or false."), "\(outcome.errors)")
        #expect(outcome.errors.contains("/settings.json, or move it away."), "\(outcome.errors)")
    }

    @Test("a chat that is opened again shows from which results of the web a reply was made")
    func sources() async throws {
        let sent = try await parley.run(
            ["assistant", "tiny.gguf", "--max-tokens", "4", "--temperature", "1", "--seed", "1"],
            input: "First\n/export all.json\n")
        #expect(sent.status == 0, "\(sent.errors)")
        let file = parley.directory.appending(path: "all.json")
        var value = try JSONValue(parsing: try Data(contentsOf: file))
        var messages = try #require(value["messages"]?.array)
        messages[1]["parley"]?["cards"] = [
            [
                "documents": [], "isUntrusted": true,
                "sources": [["title": "Rivers", "url": "https://example.org/", "snippet": ""]],
            ]
        ]
        value["messages"] = .array(messages)
        try Data(value.text().utf8).write(to: file)
        let other = try ParleyProcess()
        try other.writeModel()
        try FileManager.default.copyItem(at: file, to: other.directory.appending(path: "all.json"))
        let opened = try await other.run(["assistant", "tiny.gguf"], input: "/import all.json\n/open 1\n")
        #expect(opened.text.contains("[1] Rivers https://example.org/"), "\(opened.text)\(opened.errors)")
    }
}
