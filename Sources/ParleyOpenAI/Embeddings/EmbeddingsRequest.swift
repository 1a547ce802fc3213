// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// A request of OpenAI's `POST /v1/embeddings`: texts to make vectors of.
public struct EmbeddingsRequest: Hashable, Sendable {
    /// How vectors are written.
    public enum Encoding: String, Hashable, Sendable {
        /// As lists of numbers.
        case float
        /// As base64 of 32-bit little-endian floats.
        case base64
    }

    /// The name of the model.
    public var model: String
    /// The texts, from 1 to ``WireLimits/embeddings``.
    public var inputs: [EmbeddingInput]
    /// How vectors are written.
    public var encoding: Encoding
    /// The number of values that a vector should have; nil for the model's.
    public var dimensions: Int?
    /// Whether of texts that are too long only the beginning is read.
    public var truncates: Bool
    /// The names of unknown members, in order, which are ignored.
    public var ignored: [String]

    /// Reads a request from the bytes of its body.
    ///
    /// - Throws: ``OpenAIError`` whose `param` is the path of the invalid field.
    public init(reading body: some Sequence<UInt8>, limits: WireLimits = .standard) throws(OpenAIError) {
        try self.init(try limits.parse(body), limits: limits)
    }

    /// Reads a request from JSON.
    ///
    /// - Throws: ``OpenAIError`` whose `param` is the path of the invalid field.
    public init(_ json: JSONValue, limits: WireLimits = .standard) throws(OpenAIError) {
        let fields = Field(json)
        try fields.requireObject()
        model = try fields["model"].requiredString()
        inputs = try Self.inputs(fields["input"], limits)
        switch try fields["encoding_format"].string() {
        case nil, "float": encoding = .float
        case "base64": encoding = .base64
        default: throw fields["encoding_format"].failure(.unsupportedValue, "must be float or base64")
        }
        dimensions = try fields["dimensions"].integer(in: 1...(1 << 20))
        switch try fields["truncation"].string() {
        case nil, "disabled": truncates = false
        case "auto": truncates = true
        default: throw fields["truncation"].failure(.unsupportedValue, "must be auto or disabled")
        }
        ignored = json.object?.keys.filter { !Self.known.contains($0) } ?? []
    }

    private static let known: Set<String> = [
        "model", "input", "encoding_format", "dimensions", "truncation", "user", "metadata", "store", "service_tier",
        "safety_identifier",
    ]

    /// Reads a text, the ids of its tokens, or a list of either.
    private static func inputs(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> [EmbeddingInput] {
        if field.isMissing { throw field.missing }
        if field.value.string != nil { return [try text(field)] }
        guard let list = field.value.array else {
            throw field.failure(.invalidType, "must be a string, a list of ids of tokens, or a list of either")
        }
        guard !list.isEmpty else { throw field.failure(.invalidValue, "must not be empty") }
        if list.first?.number != nil { return [.tokens(try field.tokens())] }
        var inputs: [EmbeddingInput] = []
        for element in try field.requiredElements(upTo: limits.embeddings) {
            inputs.append(element.value.array == nil ? try text(element) : .tokens(try element.tokens()))
        }
        return inputs
    }

    private static func text(_ field: Field) throws(OpenAIError) -> EmbeddingInput {
        let text = try field.requiredString()
        guard !text.isEmpty else { throw field.failure(.invalidValue, "must not be empty") }
        return .text(text)
    }

    /// The answer to the request.
    ///
    /// - Parameters:
    ///   - embeddings: the vectors of the texts, in their order.
    ///   - model: the name of the model that made them.
    /// - Returns: the answer as JSON.
    public func answer(_ embeddings: [Embedding], model: String) -> JSONValue {
        let tokens = JSONValue.integer(embeddings.reduce(0) { $0 + $1.tokenCount })
        return [
            "object": "list",
            "data": .array(
                embeddings.enumerated().map { index, embedding in
                    [
                        "object": "embedding", "index": .integer(index),
                        "embedding": encoding == .base64 ? .string(embedding.base64) : .floats(embedding.vector),
                    ]
                }),
            "model": .string(model), "usage": ["prompt_tokens": tokens, "total_tokens": tokens],
        ]
    }
}

extension JSONValue {
    /// A list of numbers, each in the shortest notation that reads back as the same float.
    package static func floats(_ values: [Float]) -> JSONValue {
        .array(values.map { .number(Double("\($0)") ?? Double($0)) })
    }
}
