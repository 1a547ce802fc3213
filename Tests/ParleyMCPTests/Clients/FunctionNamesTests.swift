// SPDX-License-Identifier: Apache-2.0

import ParleyMCP
import Testing

@Suite("Names of tools as functions")
struct FunctionNamesTests {
    @Test("They begin with the server's name, and those that would be the same are numbered")
    func numbered() {
        var names = FunctionNames(prefix: "files")
        let all = ["read.file", "read/file", "read file", "write"].map { names.name(for: $0) }
        #expect(all == ["files__read_file", "files__read_file_2", "files__read_file_3", "files__write"])
    }

    @Test(
        "They have at most 64 letters, digits and signs of ASCII, each once, whatever servers call themselves and tools",
        arguments: ["", "a", String(repeating: "server", count: 40), "Ünïcode 😀\n", "<|im_end|>"])
    func bounded(prefix: String) {
        var names = FunctionNames(prefix: prefix)
        let tools = ["", "tool", String(repeating: "t", count: 300), "é", "\u{0}\"}", "]"]
        let all = (0..<20).flatMap { _ in tools.map { names.name(for: $0) } }
        #expect(Set(all).count == all.count)
        for name in all { #expect(name.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil, "\(name)") }
    }
}
