// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("parley")
struct ParleyCommandTests {
    @Test("alone it prints help on standard output")
    func help() async throws {
        let outcome = try await ParleyProcess().run()
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("USAGE: parley <subcommand>"))
        for name in ["chat", "run", "models", "info", "tokenize", "render", "score"] {
            #expect(outcome.text.contains("  \(name) "))
        }
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "wrong usage exits with 2 and says in two lines what is wrong and where help is",
        arguments: [
            ["fly"], ["chat", "--bar"], ["run"], ["run", "m", ""], ["run", "m", "p", "--temperature", "-1"],
            ["run", "m", "p", "--top-p", "0"], ["run", "m", "p", "--top-p", "1.5"], ["run", "m", "p", "--top-k", "-1"],
            ["run", "m", "p", "--min-p", "nan"], ["run", "m", "p", "--max-tokens", "0"],
            ["run", "m", "p", "--context", "0"], ["run", "m", "p", "--threads", "0"], ["run", "m", "p", "--stop", ""],
            ["run", "m", "p", "--repetition-penalty", "0"], ["run", "m", "p", "--seed", "x"], ["tokenize", "m"],
            ["tokenize", "m", "--file", "a", "--batch", "b"], ["render", "--messages", "m"],
            ["render", "m", "--template", "t", "--messages", "m"], ["render", "m", "--messages", "m", "--var", "x"],
            ["render", "m", "--messages", "m", "--var", "x={"], ["score", "m"], ["info"], ["models", "path"],
            ["score", "m", "--file", "f", "--top", "2"], ["bench", "m", "--engines", "all", "--depth", "5"],
        ])
    func wrongUsage(arguments: [String]) async throws {
        let outcome = try await ParleyProcess().run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorLines.count == 2)
        #expect(outcome.errorLines.first?.hasPrefix("parley: ") == true)
        #expect(outcome.errorLines.last?.contains("--help") == true)
    }

    @Test(
        "a misspelt command is told, and what may be meant",
        arguments: [
            (["chatt"], "There is no command 'chatt'. Did you mean 'chat'?", "See 'parley --help'"),
            (["models", "pul", "m"], "There is no command 'pul'. Did you mean 'pull'?", "See 'parley models --help'"),
            (["fly"], "There is no command 'fly'.", "See 'parley --help'"),
            (["models", "list", "--x"], "Unknown option '--x'", "See 'parley models list --help'"),
        ])
    func unknownCommand(arguments: [String], message: String, hint: String) async throws {
        let outcome = try await ParleyProcess().run(arguments)
        #expect(outcome.errorLines.first == "parley: \(message)")
        #expect(outcome.errorLines.last?.hasPrefix(hint) == true)
    }

    @Test("shells get completions", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let outcome = try await ParleyProcess().run("--generate-completion-script", shell)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("temperature"))
    }

    @Test(
        "every command that takes a model says what is wrong with it in at most two lines",
        arguments: [
            ["chat"], ["run"], ["info"], ["tokenize", "--file", "text"], ["score", "--file", "text"],
            ["render", "--messages", "messages"], ["models", "path"],
        ])
    func wrongModel(command: [String]) async throws {
        let parley = try ParleyProcess()
        try parley.write("text", to: "text")
        try parley.write("[]", to: "messages")
        try parley.write("not a model", to: "text.gguf")
        let words = Array(command.prefix { !$0.hasPrefix("--") })
        let options = Array(command.dropFirst(words.count))
        // That a file is no model shows when it is read, which 'models path' does not do.
        for model in ["smolm2-135m", "missing.gguf"] + (words[0] == "models" ? [] : ["text.gguf"]) {
            let outcome = try await parley.run(words + [model] + options, input: "hello")
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect((1...2).contains(outcome.errorLines.count))
            #expect(outcome.errorLines.first?.hasPrefix("parley: ") == true)
        }
    }

    @Test("a truncated model is told to be one")
    func truncatedModel() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let url = parley.directory.appending(path: "tiny.gguf")
        let bytes = try Data(contentsOf: url)
        try bytes.prefix(bytes.count - 5_000).write(to: url)
        let outcome = try await parley.run("run", "tiny.gguf", "hello")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("truncated"))
    }
}
