// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyModelFile
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("The check of a header")
struct CheckedHeaderTests {
    @Test("a model that loading refuses for a missing tensor is refused before", arguments: TinyArchitecture.all)
    func missingTensors(architecture: TinyArchitecture) async throws {
        let complete = TinyModel(architecture).writer()
        for tensor in complete.tensors where !tensor.name.hasSuffix(".bias") {
            var writer = complete
            writer.tensors.removeAll { $0.name == tensor.name }
            let loading = await code { _ = try await NativeModel.load(writer) }
            let isOptional = ModelLoaderTests.isOptional(tensor.name, in: architecture)
            #expect((loading == "none") == isOptional, "\(tensor.name)")
            #expect(await code { _ = try MemoryPlan(file(writer)) } == loading, "\(tensor.name)")
        }
    }

    @Test("a model that loading refuses for the shape of a tensor is refused before", arguments: TinyArchitecture.all)
    func wrongShapes(architecture: TinyArchitecture) async throws {
        let complete = TinyModel(architecture).writer()
        for index in complete.tensors.indices where complete.tensors[index].name != "token_embd.weight" {
            var writer = complete
            let columns = complete.tensors[index].dimensions[0]
            guard columns > 2 else { continue }
            writer.tensors[index].dimensions[0] = columns - 2
            writer.tensors[index].bytes.removeLast(complete.tensors[index].bytes.count / columns * 2)
            #expect(await code { _ = try MemoryPlan(file(writer)) } == "RuntimeError invalidFile")
        }
    }

    @Test(
        "a model with a special token that the vocabulary lacks is refused before",
        arguments: ["bos", "eos", "eot", "unknown", "padding"])
    func specialTokens(role: String) async throws {
        var writer = TinyModel().writer()
        writer.set("tokenizer.ggml.\(role)_token_id", .uint32(1_000_000))
        let loading = await code { _ = try await NativeModel.load(writer) }
        #expect(await code { _ = try MemoryPlan(file(writer)) } == loading)
        if role == "eos" { #expect(loading == "ModelFileError invalidValue") }
    }

    private func file(_ writer: GGUFWriter) throws -> GGUFFile { try GGUFFile(bytes: writer.encoded()[...]) }

    private func code(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch let error as ModelFileError {
            return "ModelFileError \(error.code)"
        } catch let error as RuntimeError {
            return "RuntimeError \(error.code)"
        } catch {
            return "\(error)"
        }
    }
}
