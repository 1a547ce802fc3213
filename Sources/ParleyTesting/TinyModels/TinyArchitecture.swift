// SPDX-License-Identifier: Apache-2.0

/// What distinguishes the models of one architecture: the metadata and the tensors they have.
///
/// An architecture is data, so a test of a new one describes it here first.
public struct TinyArchitecture: Sendable {
    /// A tensor of a model.
    public struct Shape: Sendable {
        /// The purpose of a tensor, which decides its numbers and how they are stored.
        public enum Kind: Sendable, Hashable {
            /// The weights of a product; stored as the model's encoding says.
            case matrix
            /// The weights of a normalisation, around one; always F32.
            case norm
            /// Small numbers that are added, or weights of a convolution; always F32.
            case vector
        }

        /// The name; within a layer without the layer's prefix.
        public let name: String
        /// The sizes, the contiguous one first.
        public let dimensions: [Int]
        /// What the tensor is for.
        public let kind: Kind

        /// The weights of a product.
        public static func matrix(_ name: String, _ columns: Int, _ rows: Int) -> Shape {
            Shape(name: name, dimensions: [columns, rows], kind: .matrix)
        }

        /// The weights of a normalisation.
        public static func norm(_ name: String, _ count: Int) -> Shape {
            Shape(name: name, dimensions: [count], kind: .norm)
        }

        /// Numbers that are added, or weights of a convolution.
        public static func vector(_ name: String, _ dimensions: Int...) -> Shape {
            Shape(name: name, dimensions: dimensions, kind: .vector)
        }

        func named(_ name: String) -> Shape {
            Shape(name: name, dimensions: dimensions, kind: kind)
        }
    }

    /// The name in model files.
    public let name: String
    /// The smallest number of layers that includes every kind of layer.
    public let layers: Int
    /// The usual kind of vocabulary.
    public let tokenizer: TinyTokenizer
    /// The name of the last normalisation.
    public let outputNorm: String
    /// The metadata beyond what all architectures have.
    public let metadata: @Sendable (TinyModel) -> [GGUFWriter.Entry]
    /// The tensors of a layer.
    public let shapes: @Sendable (TinyModel, _ layer: Int) -> [Shape]

    /// Describes an architecture.
    public init(
        name: String, layers: Int = 2, tokenizer: TinyTokenizer = .bytePairs, outputNorm: String = "output_norm",
        metadata: @escaping @Sendable (TinyModel) -> [GGUFWriter.Entry],
        shapes: @escaping @Sendable (TinyModel, _ layer: Int) -> [Shape]
    ) {
        self.name = name
        self.layers = layers
        self.tokenizer = tokenizer
        self.outputNorm = outputNorm
        self.metadata = metadata
        self.shapes = shapes
    }
}
