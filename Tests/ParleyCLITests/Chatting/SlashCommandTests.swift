// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("SlashCommand")
struct SlashCommandTests {
    @Test(
        "commands are recognised with their arguments",
        arguments: [
            ("/help", SlashCommand.help), ("/clear", .clear), ("/stats", .stats), ("/quit", .quit), ("/exit", .quit),
            ("/system Be brief.", .system("Be brief.")), ("/system", .system(nil)), ("/save a b.md", .save("a b.md")),
            ("/save    notes.md", .save("notes.md")), ("/system\tBe brief.", .system("Be brief.")),
            ("/save \"a b.md\"", .save("a b.md")), ("/save 'a b.md' ", .save("a b.md")),
            (#"/save a\ \(b\).md"#, .save("a (b).md")), ("/save Anna's notes.md", .save("Anna's notes.md")),
            (#"/save 'Anna'\''s.md'"#, .save("Anna's.md")), (#"/save "a \"b\".md""#, .save(#"a "b".md"#)),
            ("/save 'a.md", .save("'a.md")), ("/save \"", .save("\"")),
            ("/system \"Be brief.\"", .system("\"Be brief.\"")),
        ])
    func commands(line: String, command: SlashCommand) {
        #expect(SlashCommand(line) == command)
    }

    @Test("for a misspelt command the most similar one is suggested")
    func hints() {
        #expect(SlashCommand("/sys") == .unknown(hint: "There is no command /sys. Did you mean /system?"))
        #expect(SlashCommand("/wat") == .unknown(hint: "There is no command /wat. See /help."))
        #expect(SlashCommand("/sav x") == .unknown(hint: "There is no command /sav. Did you mean /save?"))
        #expect(SlashCommand("/stast") == .unknown(hint: "There is no command /stast. Did you mean /stats?"))
        for line in ["/save", "/save  ", "/save \"\""] {
            #expect(SlashCommand(line) == .unknown(hint: "/save needs a file name: /save FILE."))
        }
    }

    @Test(
        "paths and formulas that begin with a slash are messages",
        arguments: ["hello", "/usr/bin is full", "/", "/quit\nor not", "/quit\r\nor not", ""])
    func messages(line: String) {
        #expect(SlashCommand(line) == nil)
    }
}
