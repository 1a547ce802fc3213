// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyModelFile
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Model loader")
struct ModelLoaderTests {
    @Test("a missing tensor is named", arguments: TinyArchitecture.all)
    func namesMissingTensor(architecture: TinyArchitecture) async throws {
        let complete = TinyModel(architecture).writer()
        for tensor in complete.tensors where !Self.isOptional(tensor.name, in: architecture) {
            var writer = complete
            writer.tensors.removeAll { $0.name == tensor.name }
            do {
                _ = try await NativeModel.load(writer)
                Issue.record("was loaded without \(tensor.name)")
            } catch let error as ModelFileError {
                #expect(error.code == .missingTensor)
                // Without a fused tensor, separate ones for queries, keys and values (where a layer attends), or gates and
                // ups, are expected.
                let name = tensor.name.replacing("attn_qkv", with: "attn_q")
                    .replacing("gate_up_exps", with: "gate_exps")
                #expect([name, tensor.name].contains(where: error.message.contains))
            } catch let error as RuntimeError {
                // Without the gate tensor, the up tensor is taken to contain both.
                let isGate = tensor.name.contains(".ffn_gate.") || tensor.name.contains(".ffn_gate_shexp.")
                #expect(isGate && error.code == .invalidFile, "\(error)")
            }
        }
    }

    /// Whether models of an architecture may lack a tensor: biases and factors in all of them, gates of the expert that
    /// computes every token, norms of state spaces, in Gemma 3n and 4 also values, which are the keys then, and experts, which
    /// a router makes a layer have.
    static func isOptional(_ name: String, in architecture: TinyArchitecture) -> Bool {
        let ofGemma = ["attn_v.weight", "ffn_gate_inp.weight"]
        return name.hasSuffix(".bias") || name.hasSuffix("_exps.scale") || name.hasSuffix("layer_output_scale.weight")
            || name.hasSuffix("ffn_gate_inp_shexp.weight")
            || (architecture.name == "falcon-h1" && name.hasSuffix("ssm_norm.weight"))
            || (["gemma3n", "gemma4"].contains(architecture.name) && ofGemma.contains(where: name.hasSuffix))
    }

    @Test("a tensor of another shape is named with both shapes", arguments: TinyArchitecture.all)
    func namesWrongShape(architecture: TinyArchitecture) async throws {
        let complete = TinyModel(architecture).writer()
        for index in complete.tensors.indices where complete.tensors[index].name != "token_embd.weight" {
            var writer = complete
            let columns = complete.tensors[index].dimensions[0]
            guard columns > 2 else { continue }
            writer.tensors[index].dimensions[0] = columns - 2
            writer.tensors[index].bytes.removeLast(complete.tensors[index].bytes.count / columns * 2)
            let error = await expect(code: .invalidFile) { _ = try await NativeModel.load(writer) }
            #expect(error?.message.contains(writer.tensors[index].name) == true)
            #expect(error?.message.contains("\(columns - 2)") == true)
        }
    }

    @Test(
        "a tensor of a type that is not read is named with its type",
        arguments: [(9, "Q8_1"), (40, "NVFP4"), (99, "type 99")])
    func namesUnsupportedType(code: UInt32, name: String) async throws {
        var writer = TinyModel().writer()
        writer.tensors[3].typeCode = code
        do {
            _ = try await NativeModel.load(writer)
            Issue.record("was loaded")
        } catch let error as ModelFileError {
            #expect(error.code == .unsupportedTensorType)
            #expect(error.message.contains(writer.tensors[3].name) && error.message.contains(name))
        }
    }

    @Test("rope scaling of an unknown kind is named")
    func namesUnknownScaling() async throws {
        var writer = TinyModel().writer()
        writer.set("llama.rope.scaling.type", .string("spiral"))
        let error = await expect(code: .unsupported) { _ = try await NativeModel.load(writer) }
        #expect(error?.message.contains("“spiral”") == true)
    }

    @Test("factors of the rotation that are no divisors are refused", arguments: [0, Float.nan])
    func refusesRotationFactors(factor: Float) async throws {
        var writer = TinyModel().writer()
        let factors = [1, 1, 1, factor, 1, 1, 1, 1]
        writer.tensors.append(
            .init(name: "rope_freqs.weight", typeCode: 0, dimensions: [8], bytes: TensorEncoding.f32.encode(factors)))
        await expect(code: .invalidFile) { _ = try await NativeModel.load(writer) }
    }

    @Test("a split model is the model", arguments: [TinyArchitecture.llama, .lfm2])
    func loadsSplitModels(architecture: TinyArchitecture) async throws {
        let writer = TinyModel(architecture).writer()
        let expected = try await NativeModel.load(writer).logits(of: [1, 2, 3])
        let logits = try await withTemporaryDirectory { directory in
            let parts = try writer.writeParts(tensorsPerPart: 5, named: "tiny", in: directory)
            return try await NativeModel.load(parts[parts.count - 1]).logits(of: [1, 2, 3])
        }
        #expect(firstDifference(logits, expected) == nil)
    }
}
