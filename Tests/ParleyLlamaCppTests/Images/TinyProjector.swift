// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyRuntime
    import ParleyTesting

    /// A projector of random weights for a tiny model: a vision transformer of one layer over four patches, and the two
    /// matrices of LLaVA (<https://arxiv.org/abs/2310.03744>).
    struct TinyProjector {
        /// The width of the model that is to see.
        var modelWidth = 64
        var seed: UInt64 = 7

        private let width = 32
        private let feedForward = 64
        private let patch = 14
        /// How many rows an image takes.
        let rows = 4

        func writer() -> GGUFWriter {
            var writer = GGUFWriter()
            writer.metadata = [
                .init("general.architecture", .string("clip")), .init("clip.has_vision_encoder", .bool(true)),
                .init("clip.projector_type", .string("mlp")), .init("clip.use_gelu", .bool(true)),
                .init("clip.vision.image_size", .uint32(UInt32(2 * patch))),
                .init("clip.vision.patch_size", .uint32(UInt32(patch))),
                .init("clip.vision.embedding_length", .uint32(UInt32(width))),
                .init("clip.vision.feed_forward_length", .uint32(UInt32(feedForward))),
                .init("clip.vision.projection_dim", .uint32(UInt32(modelWidth))),
                .init("clip.vision.block_count", .uint32(1)), .init("clip.vision.attention.head_count", .uint32(2)),
                .init("clip.vision.attention.layer_norm_epsilon", .float32(1e-5)),
                .init("clip.vision.image_mean", .floats([0.5, 0.5, 0.5])),
                .init("clip.vision.image_std", .floats([0.5, 0.5, 0.5])),
            ]
            var random = SplitMix64(seed: seed)
            let layer = "v.blk.0"
            var shapes: [(String, [Int], centre: Float)] = [
                ("v.patch_embd.weight", [patch, patch, 3, width], 0), ("v.position_embd.weight", [width, rows], 0),
                ("v.pre_ln.weight", [width], 1), ("v.pre_ln.bias", [width], 0),
                ("\(layer).ffn_up.weight", [width, feedForward], 0), ("\(layer).ffn_up.bias", [feedForward], 0),
                ("\(layer).ffn_down.weight", [feedForward, width], 0), ("\(layer).ffn_down.bias", [width], 0),
                ("mm.0.weight", [width, modelWidth], 0), ("mm.0.bias", [modelWidth], 0),
                ("mm.2.weight", [modelWidth, modelWidth], 0), ("mm.2.bias", [modelWidth], 0),
            ]
            for part in ["attn_q", "attn_k", "attn_v", "attn_out"] {
                shapes += [("\(layer).\(part).weight", [width, width], 0), ("\(layer).\(part).bias", [width], 0)]
            }
            for part in ["ln1", "ln2"] {
                shapes += [("\(layer).\(part).weight", [width], 1), ("\(layer).\(part).bias", [width], 0)]
            }
            writer.tensors = shapes.map { name, dimensions, centre in
                let numbers = (0..<dimensions.reduce(1, *)).map { _ in centre + 0.4 * random.nextFloat() }
                return .init(
                    name: name, typeCode: TensorEncoding.f32.rawValue, dimensions: dimensions,
                    bytes: TensorEncoding.f32.encode(numbers))
            }
            return writer
        }
    }

    /// A PNG file of one colour, uncompressed (<https://www.w3.org/TR/png-3/>).
    func plainPNG(side: Int, red: UInt8, green: UInt8, blue: UInt8) -> Data {
        func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        func checksum(_ bytes: [UInt8]) -> UInt32 {
            ~bytes.reduce(UInt32.max) { crc, byte in
                (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
            }
        }
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            big(UInt32(body.count)) + Array(name.utf8) + body + big(checksum(Array(name.utf8) + body))
        }
        let line = [UInt8(0)] + (0..<side).flatMap { _ in [red, green, blue] }
        let pixels = (0..<side).flatMap { _ in line }
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in pixels {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let count = UInt16(pixels.count)
        let length = [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
        let stored = [0x78, 0x01, 0x01] + length + length.map { ~$0 } + pixels + big(high << 16 | low)
        let header = big(UInt32(side)) + big(UInt32(side)) + [8, 2, 0, 0, 0]
        return Data(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", stored)
                + chunk("IEND", []))
    }
#endif
