// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyModelFile
import ParleyRuntime
import ParleyTensor
import ParleyTesting
import Testing

@Suite("Hyperparameters")
struct HyperparametersTests {
    /// An invalid metadata entry.
    struct Damage: Sendable, CustomTestStringConvertible {
        let key: String
        let value: GGUFWriter.Value
        var architecture = TinyArchitecture.llama

        var testDescription: String { "\(architecture.name).\(key) = \(value)" }
    }

    private static let damages: [Damage] = [
        .init(key: "block_count", value: .uint32(0)),
        .init(key: "block_count", value: .uint32(.max)),
        .init(key: "embedding_length", value: .uint32(0)),
        .init(key: "embedding_length", value: .uint64(.max / 2)),
        .init(key: "embedding_length", value: .uint32(1 << 31)),
        .init(key: "attention.head_count", value: .uint32(0)),
        .init(key: "attention.head_count", value: .uint32(65)),
        .init(key: "attention.head_count", value: .uint32(.max)),
        .init(key: "attention.head_count_kv", value: .uint32(0)),
        .init(key: "attention.head_count_kv", value: .uint32(0), architecture: .phi3),
        .init(key: "attention.head_count_kv", value: .uint32(3)),
        .init(key: "attention.head_count_kv", value: .uint32(8)),
        .init(key: "attention.head_count_kv", value: .integers([2])),
        .init(key: "attention.head_count_kv", value: .integers([2, -2])),
        .init(key: "attention.head_count_kv", value: .integers([2, 2, 2])),
        .init(key: "attention.key_length", value: .uint32(0)),
        .init(key: "attention.key_length", value: .uint32(12)),
        .init(key: "attention.key_length", value: .uint32(1 << 20)),
        .init(key: "attention.value_length", value: .uint32(8)),
        .init(key: "feed_forward_length", value: .uint32(0)),
        .init(key: "feed_forward_length", value: .int64(.max)),
        .init(key: "feed_forward_length", value: .integers([128])),
        .init(key: "feed_forward_length", value: .int32(-128)),
        .init(key: "rope.dimension_count", value: .uint32(0)),
        .init(key: "rope.dimension_count", value: .uint32(15)),
        .init(key: "rope.dimension_count", value: .uint32(18)),
        .init(key: "context_length", value: .uint32(0)),
        .init(key: "context_length", value: .uint64(1 << 40)),
        .init(key: "attention.layer_norm_rms_epsilon", value: .float32(.nan)),
        .init(key: "attention.layer_norm_rms_epsilon", value: .float32(.infinity)),
        .init(key: "attention.layer_norm_rms_epsilon", value: .float32(-1)),
        .init(key: "rope.freq_base", value: .float32(0)),
        .init(key: "rope.freq_base", value: .float32(-10_000)),
        .init(key: "rope.freq_base", value: .float32(.nan)),
        .init(key: "rope.scaling.factor", value: .float32(.nan)),
        .init(key: "rope.scaling.factor", value: .float32(-2)),
        .init(key: "rope.scaling.attn_factor", value: .float32(.infinity)),
        .init(key: "rope.freq_base_swa", value: .float32(.nan), architecture: .gemma3),
        .init(key: "rope.freq_base", value: .float32(0), architecture: .gemma3),
        .init(key: "shortconv.l_cache", value: .uint32(0), architecture: .lfm2),
        .init(key: "shortconv.l_cache", value: .uint32(4), architecture: .lfm2),
        .init(key: "shortconv.l_cache", value: .uint32(1 << 30), architecture: .lfm2),
        .init(key: "attention.head_count_kv", value: .integers([2, 2, 2, 2]), architecture: .lfm2),
        .init(key: "attention.head_count_kv", value: .integers([0, 0, 0, 0]), architecture: .lfm2),
        .init(key: "attention.key_length_swa", value: .uint32(64), architecture: .gemma3),
        .init(key: "attention.key_length_swa", value: .uint32(12), architecture: .gemma4),
        .init(key: "attention.key_length_swa", value: .uint32(1 << 20), architecture: .gemma4),
        .init(key: "attention.key_length_swa", value: .uint32(8), architecture: .gemma4),
        .init(key: "attention.value_length_swa", value: .uint32(8), architecture: .gemma4),
        .init(key: "attention.head_count_kv", value: .integers([2, 2, 1, 1, 1]), architecture: .gemma4),
        .init(key: "attention.head_count_kv", value: .integers([2, 2, 1, 0, 1]), architecture: .gemma4),
        .init(key: "attention.shared_kv_layers", value: .uint32(5), architecture: .gemma4),
        .init(key: "attention.shared_kv_layers", value: .uint32(3), architecture: .gemma4),
        .init(key: "attention.sliding_window", value: .uint32(0), architecture: .gemma4),
        .init(key: "attention.sliding_window", value: .uint64(1 << 40), architecture: .gemma4),
        .init(key: "attention.sliding_window_pattern", value: .uint32(3), architecture: .gemma4),
        .init(key: "attention.sliding_window_pattern", value: .bools([true, false]), architecture: .gemma4),
        .init(key: "rope.dimension_count_swa", value: .uint32(18), architecture: .gemma4),
        .init(key: "rope.dimension_count_swa", value: .uint32(15), architecture: .gemma4),
        .init(key: "embedding_length_per_layer_input", value: .uint32(1 << 31), architecture: .gemma4),
        .init(key: "embedding_length_per_layer_input", value: .uint32(16), architecture: .gemma4),
        .init(key: "embedding_length_per_layer_input", value: .uint32(0), architecture: .gemma3n),
        .init(key: "altup.num_inputs", value: .uint32(1), architecture: .gemma3n),
        .init(key: "altup.num_inputs", value: .uint32(5), architecture: .gemma3n),
        .init(key: "altup.num_inputs", value: .uint32(1 << 31), architecture: .gemma3n),
        .init(key: "altup.active_idx", value: .uint32(4), architecture: .gemma3n),
        .init(key: "activation_sparsity_scale", value: .floats([1]), architecture: .gemma3n),
        .init(key: "nextn_predict_layers", value: .uint32(2)),
        .init(key: "ssm.conv_kernel", value: .uint32(1), architecture: .qwen35),
        .init(key: "ssm.conv_kernel", value: .uint32(5), architecture: .qwen35),
        .init(key: "ssm.state_size", value: .uint32(0), architecture: .qwen35),
        .init(key: "ssm.state_size", value: .uint32(32), architecture: .qwen35),
        .init(key: "ssm.time_step_rank", value: .uint32(0), architecture: .qwen35),
        .init(key: "ssm.time_step_rank", value: .uint32(8), architecture: .qwen35),
        .init(key: "ssm.group_count", value: .uint32(3), architecture: .qwen35),
        .init(key: "ssm.inner_size", value: .uint32(.max), architecture: .qwen35),
        .init(key: "ssm.inner_size", value: .uint32(66), architecture: .qwen35),
        .init(key: "full_attention_interval", value: .uint32(0), architecture: .qwen35),
        .init(key: "full_attention_interval", value: .uint32(2)),
        .init(key: "attention.recurrent_layers", value: .bools([true]), architecture: .qwen35),
        .init(key: "attention.recurrent_layers", value: .bools([true, true]), architecture: .qwen35),
    ]

    @Test("a size that cannot be right is refused", arguments: damages)
    func refuses(damage: Damage) async throws {
        var writer = TinyModel(damage.architecture).writer()
        writer.set("\(damage.architecture.name).\(damage.key)", damage.value)
        do {
            _ = try await NativeModel.load(writer)
            Issue.record("was loaded")
        } catch let error as RuntimeError {
            #expect(error.code == .invalidFile)
        } catch let error as ModelFileError {
            #expect([.wrongType, .missingTensor, .invalidValue].contains(error.code), "\(error)")
        }
    }

    @Test(
        "a missing required metadata entry is an error",
        arguments: [
            "block_count", "embedding_length", "attention.head_count", "feed_forward_length", "context_length",
            "attention.layer_norm_rms_epsilon",
        ])
    func missesEntry(key: String) async throws {
        var writer = TinyModel().writer()
        writer.metadata.removeAll { $0.key == "llama.\(key)" }
        do {
            _ = try await NativeModel.load(writer)
            Issue.record("was loaded")
        } catch let error as ModelFileError {
            #expect(error.code == .missingKey)
            #expect(error.message.contains("llama.\(key)"))
        }
    }

    @Test("a layer of attention without keys is refused")
    func needsKeys() async throws {
        var model = TinyModel(.phi3)
        model.keyValueHeads = 0
        await expect(code: .invalidFile) { _ = try await NativeModel.load(model.writer()).logits(of: [1, 2, 3]) }
    }

    @Test("unusual but consistent sizes can be run")
    func acceptsOddSizes() async throws {
        var model = TinyModel()
        (model.width, model.heads, model.keyValueHeads, model.headDim, model.feedForward) = (40, 5, 1, 8, 53)
        let expected = try await NativeModel.load(model.writer(), instructionSet: .generic).logits(of: [1, 2, 3, 4, 5])
        let logits = try await NativeModel.load(model.writer(), threads: 2).logits(of: [1, 2, 3, 4, 5])
        #expect(firstDifference(logits, expected) == nil)
        #expect(expected.allSatisfy { $0.isFinite })
    }

    @Test("a tokenizer with tokens that the network does not know is refused; fewer than it knows are usual")
    func comparesVocabularies() async throws {
        var writer = TinyModel().writer()
        let tokens = TinyModel().tokenizer.tokens
        writer.set("tokenizer.ggml.tokens", .strings(Array(tokens.dropLast())))
        _ = try await NativeModel.load(writer)
        writer.set("tokenizer.ggml.tokens", .strings(tokens + ["more"]))
        writer.set("tokenizer.ggml.token_type", .integers(Array(repeating: 1, count: tokens.count + 1)))
        let error = await expect(code: .invalidFile) { _ = try await NativeModel.load(writer) }
        #expect(error?.message.contains("\(tokens.count + 1) tokens") == true)
        await expect(code: .invalidFile) { _ = try MemoryPlan(GGUFFile(bytes: writer.encoded()[...])) }
    }
}
