// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import Testing

@Suite("ShellCommand")
struct ShellCommandTests {
    @Test(
        "names of models, addresses and paths without special characters are not quoted",
        arguments: ["smollm2-135m", "o/r@v1:Q4_K_M", "/models/a_b.gguf", "https://a.org/m.gguf"])
    func plain(text: String) {
        #expect(text.shellQuoted == text)
        #expect("\(ShellCommand("parley models remove", text))" == "'parley models remove \(text)'")
    }

    @Test(
        "a shell reads back what was quoted, and runs nothing of it",
        arguments: [
            "", " ", "my model", "it's", "a'b\"c", "$HOME", "$(touch x)", "`touch x`", "a;b", "a&b", "a|b", "~", "*",
            "!!",
            "a\\b", "a\nb", "#x", "é", "-n", "x>y", "{a,b}", "'", "''",
        ])
    func quoted(text: String) throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "printf %s " + text.shellQuoted]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test("a name that begins with a dash is not read as an option")
    func dash() {
        #expect("\(ShellCommand("parley models remove", "--all"))" == "'parley models remove -- --all'")
    }

    @Test("quotes within a command differ from those around it")
    func marks() {
        #expect("\(ShellCommand("parley models remove", "my model"))" == "“parley models remove 'my model'”")
    }
}
