// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyModelFile
import Testing

@Suite("parley engines")
struct EnginesCommandTests {
    @Test("the native engine is ready, and what is not built in says how it can be")
    func text() async throws {
        let outcome = try await ParleyProcess().run("engines")
        #expect(outcome.status == 0)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.first == "native  ready")
        #expect(lines.dropFirst().first == "  reads GGUF, Hugging Face")
        #expect(lines.dropFirst(2).first == "  chat, functions, reasoning, embeddings")
        #expect(lines.allSatisfy { $0.count <= 60 })
        // In a build without traits, which CI makes.
        #expect(outcome.text.contains("--traits ONNX") == outcome.text.contains("onnx  not built in"))
    }

    @Test("--json prints the properties of each engine")
    func json() async throws {
        let value = try JSONValue(parsing: try await ParleyProcess().run("engines", "--json").text)
        #expect(value[0]?["name"] == "native")
        #expect(value[0]?["built_in"] == true)
        #expect(value[0]?["problem"] == .null)
        #expect(
            value.array?.compactMap { $0["name"]?.string }
                == ["native", "llama.cpp", "mlx", "onnx", "executorch", "litert-lm"])
    }

    @Test("an engine whose library is missing says so, with its remedy")
    func problem() {
        let engine = EngineDescriptor(
            name: "other", formats: [.gguf], version: { "7" }, problem: { "Its library is missing. Install it." },
            load: { _, _, _ in throw ConversationError(.modelLoadingFailed, "not here") })
        let text = EngineRow.all([engine]).first?.text(style: TextStyle(isEnabled: false)) ?? ""
        #expect(text.hasPrefix("other  not usable here, version 7\n"))
        #expect(text.contains("Its library is missing. Install it."))
    }
}
