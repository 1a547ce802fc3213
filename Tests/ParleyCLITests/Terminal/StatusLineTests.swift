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

    @Test(
        "a terminal that only writes gets no sequences, and neither does a file",
        arguments: [(true, "dumb"), (false, "xterm")])
    func nowhere(isTerminal: Bool, name: String) {
        let line = StatusLine(isTerminal: isTerminal, environment: ["TERM": name])
        #expect(!line.isShown && line.drawing(of: "Loading… 5%", columns: 20).isEmpty)
    }
}
