// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyRuntime

/// A model with random weights, small enough to be created in a test and complete enough to run like a real one.
///
/// The same properties always give the same file. The encoding changes only how weights are stored, not the values
/// before encoding.
///
/// ```swift
/// var model = TinyModel(.gemma3)
/// model.encoding = .q8_0
/// try model.write(to: url)
/// ```
public struct TinyModel: Sendable {
    /// The model's architecture.
    public var architecture: TinyArchitecture
    /// The number of layers.
    public var layers: Int
    /// The number of values in a hidden state.
    public var width = 64
    /// The number of attention heads.
    public var heads = 4
    /// The number of key and value heads.
    public var keyValueHeads = 2
    /// The number of values in a head; must be `width / heads` for architectures whose files do not state it.
    public var headDim = 16
    /// The width of the feed-forward layers.
    public var feedForward = 128
    /// The context length in tokens for which the model claims to be trained.
    public var context = 512
    /// Whether the output matrix is the embedding matrix, as in most small models.
    public var tiesEmbeddings = true
    /// The vocabulary.
    public var tokenizer: TinyTokenizer
    /// The storage format of matrices; matrices whose rows do not divide into blocks are stored as F32.
    public var encoding = TensorEncoding.f32
    /// The seed of the random weights.
    public var seed: UInt64 = 1

    /// Describes a model of an architecture, with the architecture's default vocabulary.
    public init(_ architecture: TinyArchitecture = .llama) {
        self.architecture = architecture
        layers = architecture.layers
        tokenizer = architecture.tokenizer
    }

    /// Creates a writer for the model's file, which a test can still change.
    public func writer() -> GGUFWriter {
        var random = SplitMix64(seed: seed)
        var writer = GGUFWriter()
        writer.metadata = commonMetadata + architecture.metadata(self) + tokenizer.metadata
        writer.tensors = tensorShapes.map { tensor(of: $0, &random) }
        return writer
    }

    /// Writes the model to a file.
    ///
    /// - Throws: errors from Foundation.
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
            .init("\(prefix).\(architecture.epsilonKey)", .float32(1e-5)),
            .init("\(prefix).vocab_size", .uint32(UInt32(tokenizer.tokens.count))),
        ]
    }

    private var tensorShapes: [TinyArchitecture.Shape] {
        var shapes: [TinyArchitecture.Shape] = [
            .matrix("token_embd.weight", width, tokenizer.tokens.count),
            .norm("\(architecture.outputNorm).weight", width),
        ]
        if !tiesEmbeddings { shapes.append(.matrix("output.weight", width, tokenizer.tokens.count)) }
        shapes += architecture.wholeShapes(self)
        for layer in 0..<layers {
            shapes += architecture.shapes(self, layer).map { $0.named("blk.\(layer).\($0.name)") }
        }
        return shapes
    }

    private func tensor(of shape: TinyArchitecture.Shape, _ random: inout SplitMix64) -> GGUFWriter.Tensor {
        let columns = shape.dimensions[0]
        // With this range, the product of a row and a normalised vector has a variance of 1.
        let range = shape.kind == .matrix ? (3 / Float(columns)).squareRoot() : 0.1
        let centre: Float = shape.kind == .norm ? 1 : 0
        let count = shape.dimensions.reduce(1, *)
        let numbers = (0..<count).map { _ in centre + range * random.nextFloat() }
        // As in real files, the router of experts is never quantised.
        let usesEncoding =
            shape.kind == .matrix && columns.isMultiple(of: encoding.blockSize)
            && !shape.name.hasSuffix("ffn_gate_inp.weight")
        let encoding = usesEncoding ? self.encoding : .f32
        return .init(
            name: shape.name, typeCode: encoding.rawValue, dimensions: shape.dimensions, bytes: encoding.encode(numbers)
        )
    }
}
