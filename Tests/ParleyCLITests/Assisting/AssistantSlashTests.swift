// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("AssistantSlash")
struct AssistantSlashTests {
    @Test(
        "A line with a slash is a command, with what it needs",
        arguments: [
            ("/undo", .undo(nil)), ("/undo 3", .undo(3)), ("/open 2", .open(2)),
            ("/search two words", .search("two words")), ("/export   a.md", .export("a.md")),
            ("/pin", .pin(nil)), ("/pin Plan my day", .pin("Plan my day")), ("/new", .new), ("/quit", .quit),
            ("/attach", .attach(nil)), ("/attach my file.pdf", .attach("my file.pdf")), ("/detach", .detach),
            ("/read example.org", .read("example.org")), ("/enrich", .enrich),
            ("/export a.md", .export("a.md")), ("/import my chats.json", .importing("my chats.json")),
            ("/export \"a b.md\"", .export("a b.md")), (#"/import my\ chats.json"#, .importing("my chats.json")),
            ("/attach 'my file.pdf'", .attach("my file.pdf")), ("/attach \"\"", .attach(nil)),
            ("/read \"example.org\"", .read("example.org")), ("/pin \"now\"", .pin("\"now\"")),
        ] as [(String, AssistantSlash)])
    func commands(line: String, command: AssistantSlash) {
        #expect(AssistantSlash(line) == command)
    }

    @Test("A command without its number or text, and a misspelt one, are answered with a hint")
    func hints() {
        for line in ["/open", "/open two", "/search", "/export", "/import", "/read", "/bran 2", "/lgo", "/export ''"] {
            guard case .unknown(let hint)? = AssistantSlash(line) else {
                Issue.record("\(line) is no command with a hint")
                continue
            }
            #expect(hint.hasSuffix(".") || hint.hasSuffix("?"), "\(hint)")
        }
    }

    @Test("A path, a formula and a text of several lines are messages")
    func messages() {
        for line in ["/etc/hosts", "/2 = 1", "/", "/log\nmore", "hello"] { #expect(AssistantSlash(line) == nil) }
    }
}
