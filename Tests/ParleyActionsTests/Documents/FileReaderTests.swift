// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleySystem
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
        // What a file is does not depend on its name.
        let page = Data("<!doctype html><h2>b</h2>".utf8)
        #expect(try await read("page", page) == DocumentText(title: "page", text: "## b"))
        #expect(try await read("a.htm", Data("1 < 2 <b>".utf8)).text == "1 < 2 <b>")
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

    #if os(Linux)
        /// What a program in place of `pdftotext` leads to. Another process writes it: were it written here, a process that
        /// another test starts could have it open, and what is open for writing cannot be run.
        private func text(by script: String, _ limits: FileReader.Limits = Self.patient) async throws -> String {
            try await withTemporaryDirectory { folder in
                let program = folder.appending(path: "program")
                let write = #"printf '#!/bin/sh\n%s\n' "$1" > "$2" && chmod +x "$2""#
                let writer = try ChildProcess("/bin/sh", ["-c", write, "sh", script, program.path], environment: [:])
                #expect(try await writer.waitForExit() == .status(0))
                return try await SystemPDFReader(command: program.path).text(
                    of: URL(filePath: "/tmp/-a b.pdf"), limit: limits)
            }
        }

        /// Limits of which no time passes, however busy the machine is.
        private static var patient: FileReader.Limits {
            var limits = FileReader.Limits()
            limits.time = .seconds(600)
            return limits
        }

        @Test("The program for PDF is given the file as one word, and its pages are parted")
        func program() async throws {
            #expect(try await text(by: #"printf '%s\n\f%s' "$4" "$#" "#) == "/tmp/-a b.pdf\n\n\n5")
        }

        @Test("A program that fails, takes too long, writes without end or is missing does no harm")
        func failures() async throws {
            let failed = await #expect(throws: AssistantError.self) { try await text(by: "echo half; exit 1") }
            #expect(failed?.code == .invalidAnswer)
            var limits = FileReader.Limits()
            limits.time = .milliseconds(100)
            let late = await #expect(throws: AssistantError.self) { try await text(by: "exec /bin/sleep 3600", limits) }
            #expect(late?.code == .storeUnavailable)
            limits = Self.patient
            limits.characters = 1_000
            let endless = try await text(by: "while :; do echo 0123456789; done", limits)
            #expect(endless.utf8.count > 4_000)
            let missing = await #expect(throws: AssistantError.self) {
                try await SystemPDFReader(command: "parley-no-such-program").text(
                    of: URL(filePath: "/tmp/a.pdf"), limit: limits)
            }
            #expect(missing?.message.contains("poppler-utils") == true)
        }
    #endif
}
