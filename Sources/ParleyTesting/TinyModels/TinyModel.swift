// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyRuntime

/// A model of random weights, small enough to be made in a test and large enough to run as a real one does.
///
/// The same properties always make the same file; the encoding changes how the weights are stored, not their values.
///
/// ```swift
/// var model = TinyModel(.gemma3)
/// model.encoding = .q8_0
/// try model.write(to: url)
/// ```
public struct TinyModel: Sendable {
    /// The kind of model.
    public var architecture: TinyArchitecture
    /// The number of layers.
    public var layers: Int
    /// The length of the hidden vectors.
    public var width = 64
    /// The number of attention heads.
    public var heads = 4
    /// The number of heads that keys and values have.
    public var keyValueHeads = 2
    /// The length of a head; architectures whose files do not state it need `width / heads`.
    public var headDim = 16
    /// The width of the feed-forward layer.
    public var feedForward = 128
    /// The trained context.
    public var context = 512
    /// Whether the output is the transposed embedding, as in most small models.
    public var tiesEmbeddings = true
    /// The vocabulary.
    public var tokenizer: TinyTokenizer
    /// How matrices are stored; those whose rows do not divide into blocks stay F32.
    public var encoding = TensorEncoding.f32
    /// The seed of the random weights.
    public var seed: UInt64 = 1

    /// Creates the description of a model of an architecture, with that architecture's usual vocabulary.
    public init(_ architecture: TinyArchitecture = .llama) {
        self.architecture = architecture
        layers = architecture.layers
        tokenizer = architecture.tokenizer
    }

    /// The model as a file that is not yet written, so that a test can still change it.
    public func writer() -> GGUFWriter {
        var random = SplitMix64(seed: seed)
        var writer = GGUFWriter()
        writer.metadata = commonMetadata + architecture.metadata(self) + tokenizer.metadata
        writer.tensors = tensorShapes.map { tensor(of: $0, &random) }
        return writer
    }

    /// Writes the model.
    ///
    /// - Throws: what Foundation throws.
    public func write(to url: URL) throws {
        try writer().write(to: url)
    }

    private var commonMetadata: [GGUFWriter.Entry] {
        let prefix = architecture.name
        return [
            .init("general.architecture", .string(prefix)),
            .init("general.name", .string("Tiny random model")),
            .init("\(prefix).block_count", .uint32(UInt32(layers))),
            .init("\(prefix).context_length", .uint32(UInt32(context))),
            .init("\(prefix).embedding_length", .uint32(UInt32(width))),
            .init("\(prefix).feed_forward_length", .uint32(UInt32(feedForward))),
            .init("\(prefix).attention.head_count", .uint32(UInt32(heads))),
            .init("\(prefix).attention.layer_norm_rms_epsilon", .float32(1e-5)),
            .init("\(prefix).vocab_size", .uint32(UInt32(tokenizer.tokens.count))),
        ]
    }

    private var tensorShapes: [TinyArchitecture.Shape] {
        var shapes: [TinyArchitecture.Shape] = [
            .matrix("token_embd.weight", width, tokenizer.tokens.count),
            .norm("\(architecture.outputNorm).weight", width),
        ]
        if !tiesEmbeddings { shapes.append(.matrix("output.weight", width, tokenizer.tokens.count)) }
        for layer in 0..<layers {
            shapes += architecture.shapes(self, layer).map { $0.named("blk.\(layer).\($0.name)") }
        }
        return shapes
    }

    private func tensor(of shape: TinyArchitecture.Shape, _ random: inout SplitMix64) -> GGUFWriter.Tensor {
        let columns = shape.dimensions[0]
        // This range gives products of a row with a normalised vector a variance of one.
        let range = shape.kind == .matrix ? (3 / Float(columns)).squareRoot() : 0.1
        let centre: Float = shape.kind == .norm ? 1 : 0
        let count = shape.dimensions.reduce(1, *)
        let numbers = (0..<count).map { _ in centre + range * random.nextFloat() }
        let usesEncoding = shape.kind == .matrix && columns.isMultiple(of: encoding.blockSize)
        let encoding = usesEncoding ? self.encoding : .f32
        return .init(
            name: shape.name, typeCode: encoding.rawValue, dimensions: shape.dimensions, bytes: encoding.encode(numbers)
        )
    }
}
