// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

/// Well-formed files with meaningless contents.
@Suite("Corrupted metadata")
struct MetadataCorruptionTests {
    private static let variantsEach = 120

    @Test("a model with random metadata is refused or runs, and never crashes", arguments: TinyArchitecture.all)
    func survives(architecture: TinyArchitecture) async throws {
        var nonsense = Nonsense(seed: 11)
        var small = TinyModel(architecture)
        small.layers = ["lfm2", "lfm2moe", "qwen35", "qwen35moe"].contains(architecture.name) ? 2 : 1
        let original = small.writer()
        var refused = 0
        for _ in 0..<Self.variantsEach {
            do {
                let model = try await NativeModel.load(nonsense.variant(of: original), context: 64)
                let timeline = try model.makeTimeline()
                let tokens = (0..<5).map { TokenID($0) }
                try await timeline.step(TimelineStep(tokens: tokens, positions: .all), into: LogitRows())
                try await timeline.step(TimelineStep(tokens: [4]), into: LogitRows())
            } catch is ModelFileError, is RuntimeError, is TokenizerError {
                refused += 1
            }
        }
        #expect(refused > Self.variantsEach / 4)
        #expect(refused < Self.variantsEach)
    }

    @Test("an encoder with random metadata is refused or runs, and never crashes")
    func encodersSurvive() async throws {
        var nonsense = Nonsense(seed: 12)
        let original = TinyModel(.bert).writer()
        var refused = 0
        for _ in 0..<Self.variantsEach {
            do {
                let model = try await NativeEmbeddingModel.load(nonsense.variant(of: original), context: 64)
                _ = try await model.embed([model.tokens(of: "hello world"), [0]])
            } catch is ModelFileError, is RuntimeError, is TokenizerError {
                refused += 1
            }
        }
        #expect(refused > Self.variantsEach / 4)
        #expect(refused < Self.variantsEach)
    }
}

/// Puts wrong values into a model's metadata and wrong shapes on its tensors, the same ones for the same seed.
private struct Nonsense {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func variant(of original: GGUFWriter) -> GGUFWriter {
        var writer = original
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: changeShape(&writer)
            case 1: changeType(&writer)
            case 2: addEntry(&writer)
            default: changeEntry(&writer)
            }
        }
        return writer
    }

    private mutating func changeEntry(_ writer: inout GGUFWriter) {
        guard let index = writer.metadata.indices.randomElement(using: &random) else { return }
        switch writer.metadata[index].value {
        case .array(let type, let elements) where Bool.random(using: &random):
            var elements = elements
            if let place = elements.indices.randomElement(using: &random) { elements.remove(at: place) }
            writer.metadata[index].value = .array(type, elements)
        case .float32(let number) where Bool.random(using: &random):
            writer.metadata[index].value = .float32(number * Float.random(in: -2...2, using: &random))
        case .uint32(let number) where Bool.random(using: &random):
            let near = [number / 2, number &* 2, number &+ 1, number &- 1, number &+ 8, number &- 8]
            writer.metadata[index].value = .uint32(near.randomElement(using: &random) ?? 0)
        default: writer.metadata[index].value = value()
        }
    }

    /// Entries that models of some architecture have.
    private mutating func addEntry(_ writer: inout GGUFWriter) {
        guard case .string(let architecture) = writer.metadata[0].value else { return }
        let keys = [
            "attention.key_length", "attention.sliding_window", "attention.sliding_window_pattern",
            "attention.head_count_kv", "final_logit_softcapping", "rope.scaling.factor", "rope.scaling.type",
            "rope.scaling.attn_factor", "rope.scaling.original_context_length", "rope.freq_base_swa",
            "rope.dimension_count", "shortconv.l_cache", "feed_forward_length", "attention.key_length_swa",
            "rope.dimension_count_swa", "attention.shared_kv_layers", "embedding_length_per_layer_input",
            "ssm.state_size",
            "ssm.inner_size", "ssm.time_step_rank", "ssm.group_count", "ssm.conv_kernel", "full_attention_interval",
            "attention.recurrent_layers", "nextn_predict_layers",
        ]
        writer.set("\(architecture).\(keys.randomElement(using: &random) ?? "")", value())
        if Bool.random(using: &random) {
            writer.set("\(architecture).rope.scaling.type", .string("yarn"))
            writer.set("\(architecture).rope.scaling.factor", value())
        }
    }

    private mutating func changeShape(_ writer: inout GGUFWriter) {
        guard let index = writer.tensors.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: writer.tensors[index].dimensions.reverse()
        case 1: writer.tensors[index].dimensions.append(1)
        case 2: writer.tensors[index].dimensions = [writer.tensors[index].dimensions.reduce(1, *)]
        default: writer.tensors.remove(at: index)
        }
    }

    private mutating func changeType(_ writer: inout GGUFWriter) {
        guard let index = writer.tensors.indices.randomElement(using: &random) else { return }
        let codes: [UInt32] = [0, 1, 2, 3, 6, 7, 8, 10, 11, 12, 13, 14, 20, 23, 30, 31, .max]
        writer.tensors[index].typeCode = codes.randomElement(using: &random) ?? 0
        // Zeros for types that take more room than the original.
        writer.tensors[index].bytes += Array(repeating: 0, count: writer.tensors[index].bytes.count * 8)
    }

    private mutating func value() -> GGUFWriter.Value {
        let whole: [UInt64] = [
            0, 1, 2, 3, 7, 16, 64, 65, 1_024, 65_536, 1 << 24, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1,
            1 << 63, .max,
        ]
        let fractions: [Float] = [0, -0, 1, -1, 0.5, 1e-40, 1e30, -1e30, .infinity, -.infinity, .nan]
        let number = whole.randomElement(using: &random) ?? 0
        let fraction = fractions.randomElement(using: &random) ?? 0
        let values: [GGUFWriter.Value] = [
            .uint64(number), .int64(Int64(bitPattern: number)), .uint32(UInt32(truncatingIfNeeded: number)),
            .int32(Int32(truncatingIfNeeded: number)), .uint8(UInt8(truncatingIfNeeded: number)), .float32(fraction),
            .float64(Double(fraction)), .bool(true), .string(""), .string("linear"), .integers([]),
            .integers([Int32(truncatingIfNeeded: number)]), .floats([fraction, fraction]), .bools([true, false]),
        ]
        return values.randomElement(using: &random) ?? .bool(false)
    }
}
