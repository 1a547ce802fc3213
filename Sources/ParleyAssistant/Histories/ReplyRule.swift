// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// What decided which tokens a reply could have: the schemas to which it was held, and the functions it could call.
public struct ReplyRule: Hashable, Sendable {
    /// The parts of the answer that were held to schemas.
    public var heldBlocks: [HeldBlock]
    /// The schema of the whole answer, if it had one.
    public var schema: JSONSchema?
    /// The functions that the model could call.
    public var functions: [Function]
    /// Whether it might or had to call them.
    public var functionCalling: FunctionCallingMode
    /// The name of the format in which calls were parsed; nil if none were.
    public var functionCallFormat: String?
    /// Whether it might reason.
    public var reasoning: ReasoningMode

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - options: what was asked for.
    ///   - functions: the functions that the model could call.
    ///   - functionCallFormat: the name of the format in which calls were parsed.
    public init(_ options: GenerationOptions, functions: [Function] = [], functionCallFormat: String? = nil) {
        (heldBlocks, schema, self.functions) = (options.heldBlocks, options.jsonSchemaConstraint, functions)
        (functionCalling, reasoning) = (options.functionCalling, options.reasoning)
        self.functionCallFormat = functionCallFormat
    }
}
