// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTesting
import Testing

@Suite("parley run and chat")
struct RunCommandTests {
    @Test("standard output has only the answer, which is the same for the same seed")
    func answer() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let first = try await parley.run("run", "tiny.gguf", "hello", "--max-tokens", "8", "--seed", "7")
        #expect(first.status == 0)
        #expect(first.text.hasSuffix("\n"))
        #expect(first.errors.isEmpty)
        let again = try await parley.run("run", "tiny.gguf", "--max-tokens", "8", "--seed", "7", input: "hello\n")
        #expect(again.output == first.output)
        let chat = try await parley.run("chat", "tiny.gguf", "--max-tokens", "8", "--seed", "7", input: "hello\n")
        #expect(chat.output == first.output)
        #expect(chat.errors.isEmpty)
    }

    @Test("a dash in the prompt is replaced by standard input, and words need no quotes")
    func pipedWords() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let options = ["--max-tokens", "8", "--seed", "7"]
        let whole = try await parley.run(["run", "tiny.gguf", "say this:\n\nhello"] + options)
        let piped = try await parley.run(["run", "tiny.gguf", "say", "this:", "-"] + options, input: "hello\n")
        #expect(whole.status == 0)
        #expect(piped.output == whole.output)
    }

    @Test("a wrong model name is reported before the prompt is read")
    func wrongName() async throws {
        let parley = try ParleyProcess()
        let outcome = try await parley.run("run", "nosuch", input: "")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("no model named nosuch"))
    }

    @Test("--json prints one object")
    func json() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run(
            "run", "tiny.gguf", "hello", "--json", "--max-tokens", "5", "--temperature", "0")
        #expect(outcome.status == 0)
        let object = try #require(JSONValue(parsing: outcome.text).object)
        #expect(
            Array(object.keys) == [
                "model", "text", "finish_reason", "prompt_tokens", "cached_prompt_tokens", "completion_tokens",
                "time_to_first_token_seconds", "tokens_per_second",
            ])
        #expect(object["model"] == "tiny.gguf")
        #expect((0...5).contains(object["completion_tokens"]?.integer ?? -1))
    }

    @Test("an empty prompt is wrong usage, wherever it comes from", arguments: ["", "\n\n"])
    func emptyPrompt(input: String) async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let chat = try await parley.run("chat", "tiny.gguf", input: input)
        #expect(chat.status == 2 && chat.errorLines.first == "parley: The prompt is empty. Pipe some text in.")
        let piped = try await parley.run("run", "tiny.gguf", input: input)
        #expect(piped.status == 2 && piped.errors.contains("or write it after the model"), "\(piped.errors)")
        #expect(piped.errorLines.last == "See 'parley run --help' for more information.")
        #expect(try await parley.run("run", "tiny.gguf", input).status == 2)
    }

    @Test("a prompt longer than the context is an error that says so")
    func longPrompt() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let prompt = String(repeating: "word ", count: 200)
        let outcome = try await parley.run("run", "tiny.gguf", prompt, "--context", "128")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("context"))
        #expect(outcome.errors.contains("or a smaller --max-tokens"))
    }

    @Test("for a model without a template the use of ChatML is reported")
    func withoutTemplate() async throws {
        let parley = try ParleyProcess()
        var writer = TinyModel().writer()
        writer.metadata.removeAll { $0.key == "tokenizer.chat_template" }
        try writer.write(to: parley.directory.appending(path: "bare.gguf"))
        let outcome = try await parley.run("run", "bare.gguf", "hello", "--max-tokens", "3")
        #expect(outcome.status == 0)
        #expect(
            outcome.errorLines == [
                "bare.gguf has no chat template; ChatML is used. It may be a base model, which does not chat."
            ])
    }

    @Test("an error raised by the template is reported with the template's message")
    func refusingTemplate() async throws {
        let parley = try ParleyProcess()
        var writer = TinyModel().writer()
        writer.set("tokenizer.chat_template", .string("{{ raise_exception('No, thank you.') }}"))
        try writer.write(to: parley.directory.appending(path: "rude.gguf"))
        let outcome = try await parley.run("run", "rude.gguf", "hello")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("No, thank you."))
    }

    @Test("an image for a model that sees none is an error with the remedy, as is a file that is no image")
    func unseenImage() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        func write(_ name: String, columns: UInt8) throws {
            var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
            bytes += Array("IHDR".utf8)
            bytes += [columns, 0, 0, 1, 0, 0, 0, 1]
            try Data(bytes).write(to: parley.directory.appending(path: name))
        }
        try write("some.png", columns: 0)
        try write("huge.png", columns: 8)
        try parley.write("a text", to: "text.png")
        for (command, input) in [(["run", "tiny.gguf", "hello"], ""), (["chat", "tiny.gguf"], "hello")] {
            let unseen = try await parley.run(command + ["--image", "some.png"], input: input)
            #expect(unseen.status == 1 && unseen.output.isEmpty)
            #expect(unseen.errors.contains("tiny.gguf does not see images."), "\(unseen.errors)")
            let other = try await parley.run(command + ["--image", "text.png"], input: input)
            #expect(other.status == 1 && other.output.isEmpty)
            #expect(other.errors.contains("text.png is neither a JPEG nor a PNG file."), "\(other.errors)")
            let huge = try await parley.run(command + ["--image", "huge.png"], input: input)
            #expect(huge.status == 1 && huge.output.isEmpty)
            #expect(huge.errors.contains("huge.png has 134217729 × 1 pixels"), "\(huge.errors)")
        }
    }

    @Test("an image that cannot be read is an error before the model is loaded")
    func missingImage() async throws {
        let outcome = try await ParleyProcess().run("run", "./none.gguf", "hello", "--image", "none.png")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("none"))
    }

    @Test("--offline never downloads, and the error has the remedy")
    func offline() async throws {
        let outcome = try await ParleyProcess().run("chat", "--offline", input: "hello")
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorLines.count == 2)
        #expect(outcome.errorLines.last?.contains("parley models pull smollm2-135m") == true)
    }
}
