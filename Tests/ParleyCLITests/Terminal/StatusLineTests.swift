// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyHTTP
import Testing

@Suite("StatusLine")
struct StatusLineTests {
    @Test("the line takes one row of the terminal, whatever its text")
    func oneRow() {
        let line = StatusLine(isTerminal: true, environment: ["TERM": "xterm"])
        #expect(line.drawing(of: "Checking smollm2-135m", columns: 20) == "\r\u{1b}[KChecking smollm2-13")
        #expect(line.drawing(of: "Loading… 5%", columns: 20) == "\r\u{1b}[KLoading… 5%")
        #expect(line.drawing(of: "Loading… 5%", columns: 1) == "\r\u{1b}[K")
    }

    @Test("a style takes no room, and an empty line has none")
    func styled() {
        let line = StatusLine(isTerminal: true, environment: ["TERM": "xterm"])
        let style = TextStyle(isEnabled: true)
        #expect(line.drawing(of: "日本語", columns: 6, style: style.dim) == "\r\u{1b}[K\u{1b}[2m日本\u{1b}[0m")
        #expect(line.drawing(of: "", columns: 6, style: style.dim) == "\r\u{1b}[K")
    }

    @Test(
        "a terminal that only writes, or of which nothing is known, gets no sequences, and neither does a file",
        arguments: [(true, "dumb"), (true, ""), (false, "xterm")])
    func nowhere(isTerminal: Bool, name: String) {
        let line = StatusLine(isTerminal: isTerminal, environment: ["TERM": name])
        #expect(!line.isShown && line.drawing(of: "Loading… 5%", columns: 20).isEmpty)
    }
}
