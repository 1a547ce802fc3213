// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyTestSupport
import Testing

@Suite("The reader of files")
struct FileReaderTests {
    private struct PDF: PDFTextReader {
        func text(of file: URL, limit: FileReader.Limits) async throws -> String {
            "the text of \(file.lastPathComponent)"
        }
    }

    private func read(_ name: String, _ content: Data, _ limits: FileReader.Limits = .init()) async throws
        -> DocumentText
    {
        try await withTemporaryDirectory { folder in
            let file = folder.appending(path: name)
            try content.write(to: file)
            return try await FileReader(limits: limits, pdf: PDF()).text(at: file)
        }
    }

    @Test("Text and Markdown are read as they are, HTML as Markdown, and PDF is known by its content")
    func kinds() async throws {
        #expect(try await read("a.md", Data("# Ä\n\n* b".utf8)) == DocumentText(title: "a.md", text: "# Ä\n\n* b"))
        #expect(
            try await read("a.HTML", Data("<title>T</title><h2>b</h2>".utf8)) == DocumentText(title: "T", text: "## b"))
        #expect(try await read("a.txt", Data("%PDF-1.4\n\0".utf8)).text == "the text of a.txt")
        #expect(try await read("empty", Data()) == DocumentText(title: "empty", text: ""))
    }

    @Test("Text is cut at the limits, a PDF that is too large refused")
    func limits() async throws {
        var limits = FileReader.Limits()
        limits.characters = 3
        #expect(try await read("a", Data("abcdef".utf8), limits) == DocumentText(title: "a", text: "abc", isCut: true))
        limits = FileReader.Limits()
        limits.bytes = 6
        #expect(
            try await read("a", Data("abcdefgh".utf8), limits) == DocumentText(title: "a", text: "abcdef", isCut: true))
        let error = await #expect(throws: AssistantError.self) { try await read("a", Data("%PDF-1.7".utf8), limits) }
        #expect(error?.code == .tooLarge)
    }

    @Test("Folders, devices, other bytes and other addresses are not read")
    func refused() async throws {
        let reader = FileReader(limits: .init(), pdf: PDF())
        for path in ["/tmp", "/dev/zero", "/no/such/file"] {
            let error = await #expect(throws: AssistantError.self) { try await reader.text(at: URL(filePath: path)) }
            #expect(error?.code == .storeUnavailable)
        }
        let web = try #require(URL(string: "https://example.com/a.txt"))
        let other = await #expect(throws: AssistantError.self) { try await reader.text(at: web) }
        #expect(other?.code == .refused)
        let bytes = await #expect(throws: AssistantError.self) { try await read("a", Data([1, 0, 2])) }
        #expect(bytes?.code == .invalidAnswer)
    }
}
