// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyCommandLine
import Testing

@Suite("parley")
struct ParleyCommandTests {
    @Test("without arguments it prints the help on standard output")
    func help() async throws {
        let outcome = try await ParleyProcess().run()
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("USAGE: parley <subcommand>"))
        let words = outcome.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("What you type leaves the machine only through --remote, a search engine"))
        for name in ["chat", "run", "models", "info", "tokenize", "render", "score"] {
            #expect(outcome.text.contains("  \(name) "))
        }
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "wrong usage exits with status 2 and two lines: the mistake and how to get help",
        arguments: [
            ["fly"], ["chat", "--bar"], ["run"], ["run", "m", ""], ["run", "m", "p", "--temperature", "-1"],
            ["run", "m", "p", "--top-p", "-1"], ["run", "m", "p", "--top-p", "1.5"],
            ["run", "m", "p", "--top-k", "-1"],
            ["run", "m", "p", "--min-p", "nan"], ["run", "m", "p", "--max-tokens", "0"],
            ["run", "m", "p", "--context", "0"], ["info", "m", "--context", "9223372036854775807"],
            ["models", "fit", "m", "--context", "9223372036854775807"], ["score", "m", "--file", "f", "--top", "-1"],
            ["run", "m", "p", "--context", "9223372036854775807"], ["run", "m", "p", "--threads", "0"],
            ["run", "m", "p", "--stop", ""], ["run", "m", "p", "--isa", "x"], ["transcribe", "f", "--srt", "--vtt"],
            ["run", "m", "p", "--repetition-penalty", "0"], ["run", "m", "p", "--seed", "x"], ["tokenize", "m"],
            ["tokenize", "m", "--file", "a", "--batch", "b"], ["render", "--messages", "m"],
            ["render", "m", "--template", "t", "--messages", "m"], ["render", "m", "--messages", "m", "--var", "x"],
            ["render", "m", "--messages", "m", "--var", "x={"], ["score", "m"], ["info"], ["models", "path"],
            ["score", "m", "--file", "f", "--top", "2"], ["bench", "m", "--engines", "all", "--depth", "5"],
            ["bench", "m", "--engines", "all", "--prompt-tokens", "512"], ["bench", "m", "--prompts", "32,512,4096"],
            ["assistant", "--search", "bing"], ["chat", "--remote", "nonsense"], ["bench", "--serve", "http://x.org"],
            ["chat", "--voice"], ["transcribe", "-"],
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
        "a misspelt command is reported with the most similar one, like options and their ranges",
        arguments: [
            (["chatt"], "There is no command 'chatt'. Did you mean 'chat'?", "See 'parley --help'"),
            (["models", "pul", "m"], "There is no command 'pul'. Did you mean 'pull'?", "See 'parley models --help'"),
            (["fly"], "There is no command 'fly'.", "See 'parley --help'"),
            (["help", "nonsense"], "There is no command 'nonsense'.", "See 'parley --help'"),
            (
                ["help", "models", "pul"], "There is no command 'pul'. Did you mean 'pull'?",
                "See 'parley models --help'"
            ),
            (["models", "list", "--x"], "Unknown option '--x'.", "See 'parley models list --help'"),
            (["run", "m", "p", "--foo"], "Unknown option '--foo'.", "See 'parley run --help'"),
            (
                ["run", "m", "p", "--tempature", "1"],
                "Unknown option '--tempature'. Did you mean '--temperature'?", "See 'parley run --help'"
            ),
            (
                ["run", "m", "p", "--seed", "-1"],
                "The value '-1' is invalid for '--seed <n>': it must be from 0 to 18446744073709551615.",
                "See 'parley run --help'"
            ),
            (
                ["run", "m", "p", "--top-p", "1.5"], "--top-p must be from 0 to 1, not 1.5.", "See 'parley run --help'"
            ),
            (
                ["run", "m", "p", "--repetition-penalty", "-1"], "--repetition-penalty must be above 0, not -1.0.",
                "See 'parley run --help'"
            ),
            (
                ["run", "m", "p", "--temperature", "1e300"], "--temperature must be at most 3.4028235e+38.",
                "See 'parley run --help'"
            ),
            (
                ["info", "m", "--context", "-5"], "--context must be from 1 to 16777216, not -5.",
                "See 'parley info --help'"
            ),
            (
                ["score", "m", "--file", "f", "--top", "-1"], "--top must be from 0 to 1000, not -1.",
                "See 'parley score --help'"
            ),
            (
                ["accounts", "sync", "--every", "-3"], "--every must be from 5 to 86400, not -3.",
                "See 'parley accounts sync --help'"
            ),
            (["quantize"], "Missing expected argument '<model>'.", "See 'parley convert --help'"),
        ])
    func unknownCommand(arguments: [String], message: String, hint: String) async throws {
        let outcome = try await ParleyProcess().run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorLines.first == "parley: \(message)")
        #expect(outcome.errorLines.last?.hasPrefix(hint) == true)
    }

    @Test("every command has help", arguments: Self.commands)
    func commandHelp(words: [String]) async throws {
        let outcome = try await ParleyProcess().run(["help"] + words)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("USAGE: parley \(words.joined(separator: " "))"))
        #expect(outcome.errors.isEmpty)
        // The placeholder of a value must describe the value and not repeat the option's name.
        let echoes = outcome.text.matches(of: /--([a-z-]+) <\1>/).map { String($0.output.1) }
        #expect(Set(echoes).isSubset(of: ["file", "name"]))
        // Where the output is no terminal, the help has the traditional width.
        #expect(outcome.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    private static let commands = [
        ["chat"], ["run"], ["info"], ["tokenize"], ["render"], ["constrain"], ["score"], ["embed"], ["transcribe"],
        ["bench"],
        ["models"],
        ["models", "list"], ["models", "pull"], ["models", "import"], ["models", "verify"], ["models", "remove"],
        ["models", "gc"], ["models", "path"], ["models", "fit"], ["models", "catalog"],
        ["assistant"], ["replay"], ["remind"], ["convert"], ["engines"], ["serve"],
        ["accounts"], ["accounts", "list"], ["accounts", "add"], ["accounts", "sync"], ["accounts", "use"],
        ["accounts", "remove"],
    ]

    @Test("every command that the help lists is among those")
    func listed() async throws {
        for words in [[], ["models"], ["accounts"]] {
            let help = try await ParleyProcess().run(["help"] + words).text
            let list = help.split(separator: "SUBCOMMANDS:").last ?? ""
            let names = list.matches(of: /(?m)^  ([a-z]+)\b/).map { words + [String($0.output.1)] }
            #expect(!names.isEmpty && Set(names).isSubset(of: Self.commands), "\(names)")
        }
    }

    @Test("endless input is refused at a limit")
    func endlessInput() throws {
        #expect(throws: CommandError.self) { try InputFile.bytes("/dev/zero", atMost: 3 << 20) }
    }

    #if !LlamaCpp
        @Test("a build without an engine for images says how to get one")
        func projectorWithoutSight() async throws {
            let outcome = try await ParleyProcess().run("run", "m", "p", "--mmproj", "x.gguf")
            #expect(outcome.status == 2)
            #expect(outcome.errorLines.first?.contains("--traits LlamaCpp") == true)
        }
    #endif

    @Test("shells get completions", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let outcome = try await ParleyProcess().run("--generate-completion-script", shell)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("temperature"))
        #expect(outcome.text.contains("automatic"))
        // Those of the server too, which is another program.
        #expect(outcome.text.contains("queue-timeout"))
    }

    @Test("the help has the options of the server, also where that is not built")
    func serverOptions() async throws {
        let outcome = try await ParleyProcess().run("help", "serve")
        #expect(outcome.status == 0 && outcome.text.contains("--queue-timeout <seconds>"), "\(outcome.errors)")
    }

    @Test(
        "output that cannot be written is told with the reason, and a reader who has gone is not",
        arguments: [
            ("\"$PARLEY\" models catalog >&-", 1, "parley: Cannot write the output: Bad file descriptor.\n"),
            (
                """
                /usr/bin/mkfifo go || exit 9
                trap '' PIPE
                { read -r line <go; "$PARLEY" models catalog; echo $? >status; } | { exec <&-; echo >go; }
                read -r status <status
                exit $status
                """, 141, ""
            ),
        ])
    func unwritten(script: String, status: Int32, errors: String) async throws {
        let outcome = try await ParleyProcess().run(script: script)
        #expect(outcome.status == status && outcome.text.isEmpty && outcome.errors == errors, "\(outcome)")
    }

    @Test("a level of the log that does not exist is told, and the command goes on")
    func unknownLevel() async throws {
        let outcome = try await ParleyProcess().run(script: "PARLEY_LOG=loud \"$PARLEY\" engines")
        #expect(outcome.status == 0 && outcome.text.hasPrefix("native"))
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains("no level \"loud\""), "\(outcome.errors)")
    }

    @Test(
        "every command with a model argument reports a wrong model in at most two lines",
        arguments: [
            ["chat"], ["run"], ["info"], ["tokenize", "--file", "text"], ["score", "--file", "text"],
            ["embed", "--file", "text"],
            ["render", "--messages", "messages"], ["models", "path"],
        ])
    func wrongModel(command: [String]) async throws {
        let parley = try ParleyProcess()
        try parley.write("text", to: "text")
        try parley.write("[]", to: "messages")
        try parley.write("not a model", to: "text.gguf")
        let words = Array(command.prefix { !$0.hasPrefix("--") })
        let options = Array(command.dropFirst(words.count))
        // Whether a file is a model is only known when it is read, which 'models path' does not do.
        for model in ["smolm2-135m", "missing.gguf"] + (words[0] == "models" ? [] : ["text.gguf"]) {
            let outcome = try await parley.run(words + [model] + options, input: "hello")
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect((1...2).contains(outcome.errorLines.count))
            #expect(outcome.errorLines.first?.hasPrefix("parley: ") == true)
        }
    }

    @Test("a truncated model is reported as truncated")
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
