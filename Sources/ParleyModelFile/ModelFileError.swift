// SPDX-License-Identifier: Apache-2.0

/// The reason why a model file could not be opened, or a value could not be read from it.
public struct ModelFileError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The operating system could not open, examine or map the file.
        public static let unreadable = Code(description: "unreadable")
        /// The file is not a GGUF file.
        public static let notGGUF = Code(description: "notGGUF")
        /// The file is not a safetensors file.
        public static let notSafetensors = Code(description: "notSafetensors")
        /// The file is a GGUF file of a version or byte order that is not supported.
        public static let unsupportedVersion = Code(description: "unsupportedVersion")
        /// The file is shorter than its header says.
        public static let truncated = Code(description: "truncated")
        /// The header is longer than the bytes that were given or may be read.
        public static let incompleteHeader = Code(description: "incompleteHeader")
        /// The file contradicts itself or its format.
        public static let corrupt = Code(description: "corrupt")
        /// Parts of a split model are missing or do not belong together.
        public static let incompleteSplit = Code(description: "incompleteSplit")
        /// The metadata has no entry with the requested key.
        public static let missingKey = Code(description: "missingKey")
        /// An entry of the metadata has the wrong type.
        public static let wrongType = Code(description: "wrongType")
        /// An entry of the metadata has an invalid value.
        public static let invalidValue = Code(description: "invalidValue")
        /// There is no tensor with the requested name.
        public static let missingTensor = Code(description: "missingTensor")
        /// A tensor has a type that is not supported.
        public static let unsupportedTensorType = Code(description: "unsupportedTensorType")
        /// A folder describes a model in a form that is not supported.
        public static let unsupportedModel = Code(description: "unsupportedModel")
        /// The vocabulary belongs to a kind of tokenizer that is not implemented.
        public static let unsupportedTokenizer = Code(description: "unsupportedTokenizer")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
