// SPDX-License-Identifier: Apache-2.0

import ParleyMCP
import Testing

@Suite("Lines of bytes")
struct LineSplitterTests {
    @Test("The pieces in which they arrive make no difference", arguments: [1, 2, 3, 7, 100])
    func pieces(_ size: Int) throws {
        let bytes = Array("one\ntwo\r\n\n\nthree, longer\nrest".utf8)
        var splitter = LineSplitter(limit: 20)
        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            lines += try splitter.take(piece).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(lines == ["one", "two", "three, longer"])
    }

    @Test("A line above the limit is an error, also before it ends")
    func limit() throws {
        var splitter = LineSplitter(limit: 4)
        #expect(try splitter.take(Array("1234\n12".utf8)).count == 1)
        #expect(throws: MCPError.self) { try splitter.take(Array("345".utf8)) }
    }
}
