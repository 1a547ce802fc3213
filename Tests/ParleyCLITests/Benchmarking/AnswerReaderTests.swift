// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyHTTP
import Testing

@Suite("Answers that the client of parley bench --serve reads")
struct AnswerReaderTests {
    private static let chunked = """
        HTTP/1.1 200 OK\r
        Content-Type: text/event-stream\r
        Transfer-Encoding: chunked\r
        \r
        5\r
        data:\r
        0b;x=1\r
         one\r\ntwo\r\n\r
        0\r
        Trailer: x\r
        \r

        """
    private static let counted = "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"

    @Test("wherever the bytes are cut, the body is the same", arguments: [1, 2, 3, 7, 64, 1_000])
    func cuts(length: Int) throws {
        for (text, body, status, isKept) in [
            (Self.chunked, "data: one\r\ntwo\r\n", 200, true), (Self.counted, "abc", 404, false),
        ] {
            var (reader, data) = (AnswerReader(), Data())
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: length) {
                #expect(!reader.isWhole)
                data += try reader.add(bytes[start..<min(start + length, bytes.count)])
            }
            #expect(String(decoding: data, as: UTF8.self) == body && reader.isWhole)
            #expect(reader.head?.status == status && reader.isKept == isKept)
        }
    }

    @Test("an answer without a length ends with its connection, which is not kept")
    func open() throws {
        var reader = AnswerReader()
        let data = try reader.add(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8))
        #expect(data == Data("abc".utf8) && !reader.isWhole && !reader.isKept)
    }

    @Test(
        "what is not HTTP is an error",
        arguments: [
            "SSH-2.0-x\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "HTTP/1.1 200 OK\r\nnothing\r\n\r\n",
        ])
    func damage(text: String) {
        var reader = AnswerReader()
        #expect(throws: HTTPError.self) { try reader.add(Array(text.utf8)) }
    }
}
