// SPDX-License-Identifier: Apache-2.0

/// The metadata and tensors that models of an architecture have.
///
/// Architectures are described as data, so that a new one can be tested by adding a description.
public struct TinyArchitecture: Sendable {
    /// A tensor of a model.
    public struct Shape: Sendable {
        /// The purpose of a tensor, which decides its random values and how they are stored.
        public enum Kind: Sendable, Hashable {
            /// The weights of a matrix product, stored in the model's encoding.
            case matrix
            /// The weights of a normalisation, with values around 1; always stored as F32.
            case norm
            /// Biases or the weights of a convolution, with small values; always stored as F32.
            case vector
        }

        /// The tensor's name; for tensors of a layer, without the layer's prefix.
        public let name: String
        /// The dimensions, with the contiguous one first.
        public let dimensions: [Int]
        /// The tensor's purpose.
        public let kind: Kind

        /// Creates a matrix of `rows` outputs and `columns` inputs.
        public static func matrix(_ name: String, _ columns: Int, _ rows: Int) -> Shape {
            Shape(name: name, dimensions: [columns, rows], kind: .matrix)
        }

        /// Creates several such matrices in one tensor.
        public static func matrices(_ name: String, _ columns: Int, _ rows: Int, count: Int) -> Shape {
            Shape(name: name, dimensions: [columns, rows, count], kind: .matrix)
        }

        /// Creates the weights of a normalisation.
        public static func norm(_ name: String, _ count: Int) -> Shape {
            Shape(name: name, dimensions: [count], kind: .norm)
        }

        /// Creates biases or the weights of a convolution.
        public static func vector(_ name: String, _ dimensions: Int...) -> Shape {
            Shape(name: name, dimensions: dimensions, kind: .vector)
        }

        func named(_ name: String) -> Shape {
            Shape(name: name, dimensions: dimensions, kind: kind)
        }
    }

    /// The architecture's name in model files.
    public let name: String
    /// The default number of layers, which is the smallest that includes every kind of layer.
    public let layers: Int
    /// The default vocabulary.
    public let tokenizer: TinyTokenizer
    /// The name of the final normalisation.
    public let outputNorm: String
    /// The name of the ε of normalisations in the metadata, after the architecture's.
    public let epsilonKey: String
    /// The metadata that only this architecture has.
    public let metadata: @Sendable (TinyModel) -> [GGUFWriter.Entry]
    /// The tensors that belong to no layer, other than the embedding of tokens and the final normalisation.
    public let wholeShapes: @Sendable (TinyModel) -> [Shape]
    /// The tensors of a layer with a given number.
    public let shapes: @Sendable (TinyModel, _ layer: Int) -> [Shape]

    /// Describes an architecture.
    public init(
        name: String, layers: Int = 2, tokenizer: TinyTokenizer = .bytePairs, outputNorm: String = "output_norm",
        epsilonKey: String = "attention.layer_norm_rms_epsilon",
        metadata: @escaping @Sendable (TinyModel) -> [GGUFWriter.Entry],
        wholeShapes: @escaping @Sendable (TinyModel) -> [Shape] = { _ in [] },
        shapes: @escaping @Sendable (TinyModel, _ layer: Int) -> [Shape]
    ) {
        self.name = name
        self.layers = layers
        self.tokenizer = tokenizer
        self.outputNorm = outputNorm
        self.epsilonKey = epsilonKey
        self.metadata = metadata
        self.wholeShapes = wholeShapes
        self.shapes = shapes
    }
}
