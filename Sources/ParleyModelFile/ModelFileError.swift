// SPDX-License-Identifier: Apache-2.0

/// Why a model file could not be opened, or a value not be read from it.
public struct ModelFileError: Error, Sendable {
    /// The kind of a failure; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the kind.
        public let rawValue: String

        /// Creates a kind of this name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The operating system would not open, size or map the file.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file is not GGUF at all.
        public static let notGGUF = Code(rawValue: "notGGUF")
        /// The file is GGUF of a version or byte order that is not supported.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
        /// The file is shorter than its header says.
        public static let truncated = Code(rawValue: "truncated")
        /// The header does not end within the bytes that are read of it.
        public static let incompleteHeader = Code(rawValue: "incompleteHeader")
        /// The file contradicts itself or its format.
        public static let corrupt = Code(rawValue: "corrupt")
        /// Parts of a split model are missing or do not belong together.
        public static let incompleteSplit = Code(rawValue: "incompleteSplit")
        /// The metadata has no entry of the key asked for.
        public static let missingKey = Code(rawValue: "missingKey")
        /// An entry of the metadata has the wrong type.
        public static let wrongType = Code(rawValue: "wrongType")
        /// An entry of the metadata has an invalid value.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// There is no tensor of the name asked for.
        public static let missingTensor = Code(rawValue: "missingTensor")
        /// A tensor has a type that is not supported.
        public static let unsupportedTensorType = Code(rawValue: "unsupportedTensorType")
        /// The vocabulary is for a tokenizer that is not implemented.
        public static let unsupportedTokenizer = Code(rawValue: "unsupportedTokenizer")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong, where, and what to do.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension ModelFileError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
