// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import Testing

@Suite("HubFileChoice")
struct HubFileChoiceTests {
    private let tree = "https://huggingface.co/api/models/o/r/tree/main?recursive=true"

    private func names(_ reference: String, in files: [String], withProjector: Bool = false) async throws -> [String] {
        let digest = String(repeating: "a", count: 64)
        let web = ScriptedWeb([tree: .listing(files.map { ($0, 1_000, digest) })])
        let resolver = ModelResolver(hub: HubEndpoint(), client: web)
        let manifest = try await resolver.manifest(of: ModelReference(parsing: reference), withProjector: withProjector)
        return manifest.files.map(\.name)
    }

    @Test(
        "by default four bits are preferred, then the next larger quantisation",
        arguments: [
            (["m-F16.gguf", "m-Q8_0.gguf", "m-Q4_K_M.gguf", "m-Q4_0.gguf"], "m-Q4_K_M.gguf"),
            (["m-q8_0.gguf", "m-q4_0.gguf", "m-q5_k_m.gguf"], "m-q4_0.gguf"),
            (["m.Q8_0.gguf", "m.Q5_K_M.gguf", "m.Q2_K.gguf"], "m.Q5_K_M.gguf"),
            (["m-fp16.gguf", "m-Q8_0.gguf"], "m-Q8_0.gguf"),
            (["README.md", "only.gguf"], "only.gguf"),
            (["m-imatrix.gguf", "mmproj-m-Q4_K_M.gguf", "m-BF16.gguf"], "m-BF16.gguf"),
            (["a_q4_k_m.gguf", "UD/a-UD-Q4_K_M.gguf"], "a_q4_k_m.gguf"),
        ])
    func preference(files: [String], chosen: String) async throws {
        #expect(try await names("hf:o/r", in: files) == [chosen])
    }

    @Test(
        "a quantisation is found however the name is written",
        arguments: [
            ("Q4_K_M", "SmolLM2-135M-Instruct.Q4_K_M.gguf"), ("q8_0", "smollm2-360m-instruct-q8_0.gguf"),
            ("IQ2_XXS", "m-UD-IQ2_XXS.gguf"), ("F16", "model-fp16.gguf"), ("BF16", "model_bf16.gguf"),
            ("Q6_K", "Qwen3-0.6B-Q6_K.gguf"), ("Q4_K_XL", "gemma-3-1b-it-UD-Q4_K_XL.gguf"),
            ("Q4_0", "google_gemma-3-270m-it-Q4_0.gguf"),
        ])
    func spellings(wanted: String, name: String) async throws {
        let others = ["other-Q3_K_S.gguf", "Q5-mixtral.gguf", "llama-q.gguf"]
        #expect(try await names("hf:o/r:\(wanted)", in: others + [name]) == [name])
    }

    @Test("a requested projector that does not exist is an error")
    func missingProjector() async throws {
        let error = await #expect(throws: ModelStoreError.self) {
            try await names("hf:o/r", in: ["m-Q4_0.gguf"], withProjector: true)
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("mmproj") == true)
    }

    @Test("all parts of a split file are included, in order")
    func splitFile() async throws {
        let files = [
            "Q8_0/m-Q8_0-00002-of-00003.gguf", "Q8_0/m-Q8_0-00001-of-00003.gguf", "Q8_0/m-Q8_0-00003-of-00003.gguf",
            "m-Q2_K.gguf",
        ]
        let parts = (1...3).map { "m-Q8_0-0000\($0)-of-00003.gguf" }
        #expect(try await names("hf:o/r:Q8_0", in: files) == parts)
        #expect(try await names("hf:o/r:Q8_0/m-Q8_0-00001-of-00003.gguf", in: files) == parts)
    }

    @Test("a split file that lacks a part is not offered")
    func incompleteSplitFile() async throws {
        let files = ["m-Q8_0-00001-of-00002.gguf", "m-Q2_K.gguf"]
        #expect(try await names("hf:o/r", in: files) == ["m-Q2_K.gguf"])
        await #expect(throws: ModelStoreError.self) { try await names("hf:o/r", in: [files[0]]) }
    }

    @Test("a projector is included on request, preferably in half precision")
    func projector() async throws {
        let files = ["m-Q8_0.gguf", "mmproj-F32.gguf", "mmproj-model-f16.gguf"]
        #expect(try await names("hf:o/r", in: files) == ["m-Q8_0.gguf"])
        #expect(try await names("hf:o/r", in: files, withProjector: true) == ["m-Q8_0.gguf", "mmproj-model-f16.gguf"])
    }

    @Test(
        "the error for a missing file or quantisation lists the available ones",
        arguments: [
            ("hf:o/r:Q9_9", "Q8_0, Q2_K"), ("hf:o/r:m-Q8_1.gguf", "m-Q8_0.gguf"),
            ("hf:o/r:nothing.gguf", "m-Q2_K.gguf"),
        ])
    func missing(reference: String, told: String) async {
        let error = await #expect(throws: ModelStoreError.self) {
            try await names(reference, in: ["m-Q2_K.gguf", "m-Q8_0.gguf"])
        }
        #expect(error?.code == .notFound)
        #expect(told.split(separator: ", ").allSatisfy { error?.message.contains($0) == true })
    }

    @Test("a repository without model files is an error that says so")
    func noModels() async {
        let error = await #expect(throws: ModelStoreError.self) {
            try await names("hf:o/r", in: ["pytorch_model.bin", "config.json"])
        }
        #expect(error?.message.contains("no .gguf files") == true)
    }

    @Test("paths in a listing that would leave their folder are ignored")
    func hostilePaths() async {
        await #expect(throws: ModelStoreError.self) {
            try await names("hf:o/r", in: ["../m-Q8_0.gguf", "/etc/m-Q8_0.gguf", "a//m-Q8_0.gguf"])
        }
    }
}
