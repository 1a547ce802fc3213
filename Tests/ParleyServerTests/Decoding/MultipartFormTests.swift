// SPDX-License-Identifier: Apache-2.0

import ParleyServer
import Testing

@Suite("Forms with files")
struct MultipartFormTests {
    private static func form(_ text: String, type: String = "multipart/form-data; boundary=B") throws -> MultipartForm {
        try MultipartForm(Array(text.replacing("\n", with: "\r\n").utf8), type: type)
    }

    private static let usual = """
        --B
        Content-Disposition: form-data; name="model"

        whisper-1
        --B
        content-disposition: form-data; filename="a;b\\".wav"; name="file"
        Content-Type: audio/wav

        RIFF
        --C
        --B
        Content-Disposition: form-data; name=list[]

        one
        --B
        Content-Disposition: form-data; name="list[]"


        --B--

        """

    @Test("parts have names, files and values", arguments: ["", "preamble\n"])
    func divides(before: String) throws {
        let form = try Self.form(before + Self.usual)
        #expect(form.parts.map(\.name) == ["model", "file", "list[]", "list[]"])
        #expect(try form.text("model") == "whisper-1")
        #expect(try form.texts("list[]") == ["one", ""])
        #expect(try form.text("none") == nil)
        let file = try #require(form.file("file"))
        #expect(file.name == "a;b\".wav")
        #expect(Array(file.bytes) == Array("RIFF\r\n--C".utf8))
    }

    @Test("boundaries may be quoted, and are bounded")
    func readsBoundaries() throws {
        let quoted = try Self.form(Self.usual, type: "Multipart/Form-Data; charset=x; BOUNDARY=\"B\"")
        #expect(quoted.parts.count == 4)
        let long = String(repeating: "b", count: 71)
        for type in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\(long)"] {
            #expect(throws: ServerError.self) { try Self.form(Self.usual, type: type) }
        }
        let other = #expect(throws: ServerError.self) { try Self.form(Self.usual, type: "application/json") }
        #expect(other?.status == 415)
    }

    @Test("every beginning of a form is refused, and none is read beyond its end")
    func refusesCutForms() {
        let whole = Array(Self.usual.replacing("\n", with: "\r\n").utf8)
        let complete = whole.count - 2
        for count in 0..<complete where count < complete - 2 {
            #expect(throws: ServerError.self) {
                try MultipartForm(Array(whole.prefix(count)), type: "multipart/form-data; boundary=B")
            }
        }
    }

    @Test("too many parts, long heads and long texts are refused")
    func isBounded() throws {
        let part = "--B\nContent-Disposition: form-data; name=\"a\"\n\nx\n"
        #expect(try Self.form(String(repeating: part, count: 64) + "--B--").parts.count == 64)
        #expect(throws: ServerError.self) { try Self.form(String(repeating: part, count: 65) + "--B--") }
        let head =
            "--B\nX: \(String(repeating: "y", count: 9000))\nContent-Disposition: form-data; name=\"a\"\n\nx\n--B--"
        #expect(throws: ServerError.self) { try Self.form(head) }
        let text = "--B\nContent-Disposition: form-data; name=\"a\"\n\n\(String(repeating: "y", count: 70_000))\n--B--"
        #expect(throws: ServerError.self) { try Self.form(text).text("a") }
        let nameless = "--B\nContent-Type: text/plain\n\nx\n--B--"
        #expect(throws: ServerError.self) { try Self.form(nameless) }
    }
}
