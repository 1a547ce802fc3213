// SPDX-License-Identifier: Apache-2.0

import ParleyFiles
import Testing

@Suite("FileName")
struct FileNameTests {
    static let bad = [
        "", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "a\0b", "a\nb", "\u{202e}fgug.x", ".hidden", "nul",
        "CON.gguf", "com1.gguf", "a.", "a ", "a:b",
        String(repeating: "a", count: 300),
    ]

    @Test("a name that leaves the directory or is misleading is refused", arguments: bad)
    func badNames(name: String) {
        #expect(FileName.fault(in: name) != nil)
    }

    @Test(
        "ordinary names are accepted",
        arguments: ["SmolLM2-135M-Instruct.Q4_1.gguf", "model-00001-of-00003.gguf", "mmproj-f16.gguf", "modèle 2.gguf"])
    func goodNames(name: String) {
        #expect(FileName.fault(in: name) == nil)
    }
}
