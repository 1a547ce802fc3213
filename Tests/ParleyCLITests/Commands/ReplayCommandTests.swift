// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("parley replay")
struct ReplayCommandTests {
    private let parley: ParleyProcess

    init() async throws {
        parley = try ParleyProcess()
        var model = TinyModel()
        model.context = 8_192
        try parley.writeModel(model)
    }

    /// Sends messages to the assistant, and returns the file of the chat.
    private func chat(_ lines: String...) async throws -> URL {
        let outcome = try await parley.run(
            ["assistant", "tiny.gguf", "--max-tokens", "12", "--temperature", "1", "--seed", "1"],
            input: lines.map { $0 + "\n" }.joined())
        #expect(outcome.status == 0, "\(outcome.errors)")
        let folder = parley.directory.appending(path: "sessions")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).first {
                UUID(uuidString: String($0.dropLast(5))) != nil
            })
        return folder.appending(path: name)
    }

    @Test("each reply of a chat is the same again, by number and by id")
    func same() async throws {
        let file = try await chat("Hello", "Remind me to call mum tomorrow")
        for (chat, turn) in [("1", "1"), ("1", "2"), (String(file.lastPathComponent.prefix(8)).lowercased(), "2")] {
            let outcome = try await parley.run("replay", chat, turn, "--model", "tiny.gguf")
            #expect(outcome.status == 0, "\(outcome.errors)\(outcome.text)")
            let said = outcome.text.wholeMatch(of: /The same (1 token|\d+ tokens)\.\n/)
            #expect(said != nil, "\(outcome.text)")
        }
        let json = try await parley.run("replay", "1", "1", "--model", "tiny.gguf", "--json")
        let value = try JSONValue(parsing: json.text)
        #expect(value["same"]?.bool == true && value["tokens"] == value["tokens_now"])
        #expect(value["model_digest"]?.string?.hasPrefix("sha256:") == true)
    }

    /// The tokens of a receipt but the last; each is a number in groups of seven bits, of which the last has no mark.
    private func withoutLastToken(_ bytes: Data) -> Data {
        var bytes = bytes
        repeat { bytes.removeLast() } while bytes.last.map { $0 & 0x80 != 0 } ?? false
        return bytes
    }

    @Test("where the kept reply has another length, the place and both texts are told, and the status is 1")
    func parts() async throws {
        let file = try await chat("Hello")
        var value = try JSONValue(parsing: try Data(contentsOf: file))
        var messages = try #require(value["messages"]?.array)
        let tokens = try #require(messages[1]["parley"]?["receipt"]?["tokens"]?.string)
        let bytes = withoutLastToken(try #require(Data(base64Encoded: tokens)))
        messages[1]["parley"]?["receipt"]?["tokens"] = .string(bytes.base64EncodedString())
        value["messages"] = .array(messages)
        try Data(value.text().utf8).write(to: file)
        let outcome = try await parley.run("replay", "1", "1", "--model", "tiny.gguf")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("The replies part at token "))
        #expect(outcome.text.contains("\nkept: \"") && outcome.text.contains("\nnow:  \""))
        let json = try await parley.run("replay", "1", "1", "--model", "tiny.gguf", "--json")
        #expect(json.status == 1)
        #expect(try JSONValue(parsing: json.text)["parts_at"]?.integer != nil)
    }

    @Test("each reply of a turn is generated again, and one that parts decides")
    func passes() async throws {
        let file = try await chat("Hello")
        var value = try JSONValue(parsing: try Data(contentsOf: file))
        var messages = try #require(value["messages"]?.array)
        var earlier = try #require(messages[1]["parley"]?["receipt"])
        for isSame in [true, false] {
            if !isSame {
                let bytes = try #require(earlier["tokens"]?.string.flatMap { Data(base64Encoded: $0) })
                earlier["tokens"] = .string(withoutLastToken(bytes).base64EncodedString())
            }
            messages[1]["parley"]?["earlier_receipts"] = [earlier]
            value["messages"] = .array(messages)
            try Data(value.text().utf8).write(to: file)
            let outcome = try await parley.run("replay", "1", "1", "--model", "tiny.gguf")
            #expect(outcome.status == (isSame ? 0 : 1), "\(outcome.errors)")
            #expect(outcome.text.hasPrefix("Reply 1 of 2: The \(isSame ? "same" : "replies part at token")"))
            #expect(outcome.text.contains("\nReply 2 of 2: The same "))
        }
        let json = try await parley.run("replay", "1", "1", "--model", "tiny.gguf", "--json")
        let same = try json.text.split(separator: "\n").map { try JSONValue(parsing: String($0))["same"]?.bool }
        #expect(same == [false, true])
    }

    @Test("what cannot be found out has the status 2 and says what to do")
    func trouble() async throws {
        _ = try await chat("Hello")
        let absent = try await parley.run("replay", "1", "1")
        #expect(absent.status == 2 && absent.text.isEmpty)
        #expect(absent.errors.contains("sha256:") && absent.errors.contains("--model"))
        var other = TinyModel()
        other.context = 4_096
        try parley.writeModel(other, to: "other.gguf")
        let wrong = try await parley.run("replay", "1", "1", "--model", "other.gguf")
        #expect(wrong.status == 2 && wrong.errors.contains("another model"))
        for arguments in [["2", "1"], ["1", "2"], ["nosuch", "1"], ["1", "0"]] {
            let outcome = try await parley.run(["replay"] + arguments + ["--model", "tiny.gguf"])
            #expect(outcome.status == 2 && outcome.text.isEmpty, "\(arguments)")
        }
    }

    @Test("a number beyond the list is no beginning of an id, and eight digits are")
    func digits() async throws {
        let file = try await chat("Hello")
        var value = try JSONValue(parsing: try Data(contentsOf: file))
        let id = "90000000-0000-4000-8000-000000000000"
        value["id"] = .string(id)
        try FileManager.default.removeItem(at: file)
        try Data(value.text().utf8).write(to: file.deletingLastPathComponent().appending(path: "\(id).json"))
        let beyond = try await parley.run("replay", "9", "1", "--model", "tiny.gguf")
        #expect(beyond.status == 2 && beyond.errors.contains("There is no chat 9; there is 1. "), "\(beyond.errors)")
        let found = try await parley.run("replay", "90000000", "1", "--model", "tiny.gguf")
        #expect(found.status == 0, "\(found.errors)")
    }

    @Test("an installed model is found by its digest")
    func installed() async throws {
        let imported = try await parley.run("models", "import", "tiny.gguf")
        #expect(imported.status == 0, "\(imported.errors)")
        _ = try await chat("Hello")
        try FileManager.default.removeItem(at: parley.directory.appending(path: "tiny.gguf"))
        let outcome = try await parley.run("replay", "1", "1")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}
