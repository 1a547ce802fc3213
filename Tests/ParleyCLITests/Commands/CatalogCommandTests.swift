// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyJSON
import ParleyModels
import Testing

@Suite("parley models catalog")
struct CatalogCommandTests {
    @Test("the list has every model, the default one first, in at most 60 columns")
    func text() async throws {
        let outcome = try await ParleyProcess().run("models", "catalog")
        #expect(outcome.status == 0)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2 * (Catalog.builtIn.entries.count + SpeechCatalog.builtIn.entries.count))
        #expect(lines[lines.count - 2] == "whisper-base  F16  146 MB" && lines.last == "  MIT; speech, 99 languages")
        #expect(try await ParleyProcess().run("help", "transcribe").text.contains("small model once (146"))
        #expect(lines[0].hasPrefix("smollm2-135m ") && lines[0].contains("98 MB"))
        #expect(lines[1] == "  Apache-2.0; chat")
        #expect(lines.allSatisfy { $0.count <= 60 })
    }

    @Test("--json prints all properties of each model")
    func json() async throws {
        let value = try JSONValue(parsing: try await ParleyProcess().run("models", "catalog", "--json").text)
        #expect(value.array?.count == Catalog.builtIn.entries.count + SpeechCatalog.builtIn.entries.count)
        #expect(value.array?.last?["name"] == "whisper-base" && value.array?.last?["kind"] == "speech")
        #expect(value[0]?["name"] == "smollm2-135m")
        #expect(value[0]?["files"]?[0]?["sha256"]?.string?.count == 64)
        #expect(
            value.array?.first { $0["name"] == "qwen3-0.6b" }?["capabilities"] == ["chat", "functions", "reasoning"])
    }
}
