// SPDX-License-Identifier: Apache-2.0

@_exported public import ParleySampling

/// How one reply is generated.
///
/// A value that is nil takes the model's own default from its metadata, or else the engine's.
///
/// ```swift
/// var options = GenerationOptions(temperature: 0.2, maxTokens: 256)
/// options.stop = ["\n\n"]
/// options.jsonSchemaConstraint = .object(["answer": .boolean()])
/// ```
@dynamicMemberLookup
public struct GenerationOptions: Hashable, Sendable {
    /// How tokens are drawn. Its options are these options' too: `options.temperature`, `options.seed`.
    public var sampling: SamplingOptions
    /// The budget of new tokens, reasoning included: 0 or more.
    public var maxTokens: Int?
    /// The budget of tokens for reasoning, 0 or more; when it is spent, reasoning is closed and the model answers.
    public var maxReasoningTokens: Int?
    /// Texts that end the reply when they occur in the answer; they are not part of it. They do not count inside
    /// reasoning and function calls. An empty text ends nothing.
    public var stop: [String]
    /// Whether the reply continues the last message, which is the model's, in place of a new message. The reply is only
    /// what is added.
    public var continuesLastMessage = false
    /// How many of the most likely tokens are told with each token of the answer, and their probabilities, 0 or more:
    /// 0 tells the token's own alone, nil nothing. See ``RunnerAbilities/probabilities``.
    public var likelyTokens: Int?
    /// How long the reply may take from the request on. This includes waiting for its turn, the prompt and all work
    /// before the first token, and the time of callbacks where it has to wait for them. 0 or more; 2^30 seconds (34 years)
    /// or more are no limit.
    public var timeout: Duration?
    /// A schema that the reply, which is JSON then, satisfies by construction.
    public var jsonSchemaConstraint: JSONSchema?
    /// How long it may take to prepare the schemas of the answer and the functions, 0 or more; nil for as long as the reply
    /// may take.
    public var schemaTimeout: Duration?
    /// Whether the schema is also shown to the model, in the system message. The history is not touched.
    public var injectSchemaIntoPrompt: Bool
    /// Parts of the answer that are JSON; the text around them is free. They do not count inside reasoning, and not
    /// where the whole answer is JSON.
    public var heldBlocks: [HeldBlock]
    /// How the model writes function calls; nil takes the format of its chat template, and
    /// ``FunctionCallFormat/rawText`` leaves them in the text.
    public var functionCallParser: FunctionCallFormat?
    /// Whether the model reasons before it answers, where it can be told.
    public var reasoning: ReasoningMode
    /// Whether the model may or must call functions.
    public var functionCalling: FunctionCallingMode

    /// Creates options; by default all values are left to the model.
    public init(
        temperature: Float? = nil, topK: Int? = nil, topP: Float? = nil, minP: Float? = nil,
        repetitionPenalty: Float? = nil, seed: UInt64? = nil, maxTokens: Int? = nil, maxReasoningTokens: Int? = nil,
        stop: [String] = [], timeout: Duration? = nil, jsonSchemaConstraint: JSONSchema? = nil,
        injectSchemaIntoPrompt: Bool = true, heldBlocks: [HeldBlock] = [],
        functionCallParser: FunctionCallFormat? = nil, reasoning: ReasoningMode = .automatic,
        functionCalling: FunctionCallingMode = .automatic
    ) {
        sampling = SamplingOptions(
            temperature: temperature, topK: topK, topP: topP, minP: minP, repetitionPenalty: repetitionPenalty,
            seed: seed)
        self.maxTokens = maxTokens
        self.maxReasoningTokens = maxReasoningTokens
        self.stop = stop
        self.timeout = timeout
        self.jsonSchemaConstraint = jsonSchemaConstraint
        self.injectSchemaIntoPrompt = injectSchemaIntoPrompt
        self.heldBlocks = heldBlocks
        self.functionCallParser = functionCallParser
        self.reasoning = reasoning
        self.functionCalling = functionCalling
    }

    /// One of the ``sampling`` options.
    public subscript<Value>(dynamicMember option: WritableKeyPath<SamplingOptions, Value>) -> Value {
        get { sampling[keyPath: option] }
        set { sampling[keyPath: option] = newValue }
    }
}
