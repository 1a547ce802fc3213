// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyEngine
import ParleyJSON
import ParleyModelFile
import ParleySystem
import ParleyTesting
import Testing

@Suite("parley models fit")
struct FitCommandTests {
    @Test("the verdict is shown with the terms of the memory sum and the machine's memory")
    func text() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run("models", "fit", "tiny.gguf", "--context", "256")
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("tiny.gguf fits\n"))
        for term in ["weights", "cache", "for 256 tokens", "scratch", "program", "together", "available"] {
            #expect(outcome.text.contains(term))
        }
        #expect(outcome.text.split(separator: "\n").allSatisfy { $0.count <= 60 })
    }

    @Test("the total in the JSON output is the sum of the terms")
    func json() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let value = try JSONValue(parsing: try await parley.run("models", "fit", "tiny.gguf", "--json").text)
        let terms = ["weights", "cache", "scratch", "program"].compactMap { value[$0]?.integer }
        #expect(terms.count == 4)
        #expect(value["total"]?.integer == terms.reduce(0, +))
        #expect(value["verdict"] == "fits")
        #expect((value["available"]?.integer ?? 0) <= (value["physical"]?.integer ?? 0))
    }

    @Test("verdicts have names in snake case in JSON, and no context is offered beyond the trained one")
    func verdicts() throws {
        var model = TinyModel()
        model.context = 512
        let plan = try MemoryPlan(GGUFFile(bytes: model.writer().encoded()[...]))
        func json(available: Int) -> JSONObject {
            let memory = MachineMemory(physical: .max, available: available)
            return FitReport(model: "m", fit: MemoryFit(plan, context: 90_000, memory: memory)).json
        }
        #expect(json(available: plan.total(context: 90_000).count)["verdict"] == "fits")
        let shorter = json(available: plan.total(context: 2_000).count)
        #expect(shorter["verdict"] == "fits_with_context" && shorter["largest_context"] == 512)
        #expect(json(available: plan.weights.count)["verdict"] == "does_not_fit")
    }

    @Test("keys and values in 8 bits take about half the memory")
    func cacheType() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        func cache(_ type: String) async throws -> Double {
            let outcome = try await parley.run("models", "fit", "tiny.gguf", "--cache-type", type, "--json")
            return try #require(try JSONValue(parsing: outcome.text)["cache"]?.number)
        }
        let ratio = try await cache("q8_0") / cache("f16")
        #expect((0.5..<0.6).contains(ratio))
    }

    @Test("a context longer than the trained one is assessed, with one warning")
    func longContext() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run("models", "fit", "tiny.gguf", "--context", "100000")
        #expect(outcome.status == 0)
        #expect(
            outcome.errorLines == ["The model was trained for 512 tokens; beyond them its replies may make no sense."])
    }

    @Test("a context of no tokens is wrong usage")
    func noContext() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        #expect(try await parley.run("models", "fit", "tiny.gguf", "--context", "0").status == 2)
    }

    @Test("a model that is not installed is an error when offline")
    func offline() async throws {
        let parley = try ParleyProcess()
        let outcome = try await parley.run("models", "fit", "qwen3-0.6b", "--offline")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("--offline"))
    }
}
