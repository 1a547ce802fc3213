// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine
import Testing

@Suite("What is said of wrong usage")
struct UsageMistakeTests {
    private struct Program: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "program", subcommands: [Part.self])
    }

    private struct Part: ParsableCommand {
        @Option var port = 1
    }

    @Test("It is the mistake, and a line that tells of the help of the command.")
    func lines() throws {
        let error = #expect(throws: (any Error).self) { try Program.parseAsRoot(["part", "--port", "x"]) }
        let mistake = UsageMistake(try #require(error), of: Program.self)
        #expect(mistake.message == "The value 'x' is invalid for '--port <port>'.")
        #expect(mistake.hint == "See 'program part --help' for more information.")
    }

    @Test(
        "A name is suggested for an unknown option only where the two have something in common.",
        arguments: [
            ("Unknown option '--kv-mem'. Did you mean '--kv-memory'?", true),
            ("Unknown option '--paralel'. Did you mean '--parallel'?", true),
            ("Unknown option '--api-key'. Did you mean '--tls-key'?", false),
            ("Unknown option '--model'. Did you mean '--host'?", false),
        ])
    func farNames(_ message: String, _ stays: Bool) {
        let told = UsageMistake.inHouseStyle(message)
        #expect(told == (stays ? message : message.replacing(/\. Did you mean .+/, with: ".")))
    }

    @Test(
        "What the library says is a sentence in one line, as what the programs say.",
        arguments: [
            ("Missing value for '--port <n>'", "Missing value for '--port <n>'."),
            ("--port must be from 0 to 65535, not -1.", "--port must be from 0 to 65535, not -1."),
            (
                "The value 'x' is invalid for '--isa <name>'. Please provide one of the following:\n  - avx2\n  - neon",
                "The value 'x' is invalid for '--isa <name>'. Please provide one of avx2, neon."
            ),
            (
                "Value to be set with flag '--srt' had already been set with flag '--json'",
                "--json and --srt exclude each other."
            ),
        ])
    func sentences(_ message: String, _ told: String) {
        #expect(UsageMistake.inHouseStyle(message) == told)
    }
}
