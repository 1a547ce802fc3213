// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
package import ParleyJSON

/// What goes into a chat template: the messages of a request with everything that the template cannot say itself.
///
/// ```swift
/// func prepare(_ request: GenerationRequest, template: String) -> PreparedPrompt {
///     PreparedPrompt(
///         messages: request.messages, functions: request.functions, options: request.options,
///         support: FunctionCallSupport(template: template))
/// }
/// ```
///
/// The conversation's own history is not touched.
public struct PreparedPrompt: Sendable {
    /// The messages for the template.
    public var messages: [ChatMessage]
    /// The functions for the template's tools; empty where it takes none, or the model is to call none.
    public var functions: [Function]
    /// The functions that the model may call, however it is told of them.
    public var callableFunctions: [Function]
    /// How calls are to be looked for in the reply; nil where they are not.
    public var functionCallFormat: FunctionCallFormat?
    /// What was done, for ``ResponseWriter/acceptPrompt(_:)``.
    public var report: PromptReport
    /// What else the template is told, by the names that templates have for it.
    package var variables: JSONObject

    /// Prepares a prompt.
    ///
    /// Functions that the template does not take, and the schema that the reply is to follow, are described in the
    /// system message; calls and results that such a template would drop are written as text.
    ///
    /// - Parameters:
    ///   - messages: the history.
    ///   - functions: the functions that the model may call.
    ///   - options: the schema and whether functions are called.
    ///   - support: what the model's template can do; see ``FunctionCallSupport/init(template:)``.
    public init(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions, support: FunctionCallSupport
    ) {
        callableFunctions = Self.callable(functions, options.functionCalling)
        let format = options.functionCallParser ?? support.format
        let isUsed = (!callableFunctions.isEmpty || options.functionCallParser != nil) && format != .rawText
        functionCallFormat = isUsed ? format : nil
        let describes = !support.takesFunctions && !callableFunctions.isEmpty
        self.functions = support.takesFunctions ? callableFunctions : []
        self.messages = support.takesFunctions ? messages : format.spellingOutCalls(in: messages)
        report = PromptReport(
            functionCallFormat: functionCallFormat?.name, describesFunctionsInSystemMessage: describes)
        variables = Self.variables(options.reasoning)
        if describes {
            appendToSystemMessage(format.instructions(for: callableFunctions, mode: options.functionCalling))
        }
        if options.injectSchemaIntoPrompt, let schema = options.jsonSchemaConstraint {
            appendToSystemMessage(
                "Answer with JSON that is valid for this JSON Schema, and with nothing else:\n\(schema.text)")
        }
    }

    private static func callable(_ functions: [Function], _ mode: FunctionCallingMode) -> [Function] {
        switch mode {
        case .automatic, .required: functions
        case .none: []
        case .named(let name): functions.filter { $0.name.isExactly(name) }
        }
    }

    /// Qwen's name for whether to reason, and the other one in use.
    private static func variables(_ mode: ReasoningMode) -> JSONObject {
        mode == .automatic ? [:] : ["enable_thinking": .bool(mode == .on), "thinking": .bool(mode == .on)]
    }

    private mutating func appendToSystemMessage(_ text: String) {
        guard var first = messages.first, first.role == .system else {
            messages.insert(.system(text), at: 0)
            return
        }
        if case .text(let present)? = first.content.last {
            first.content[first.content.count - 1] = .text(present.isEmpty ? text : "\(present)\n\n\(text)")
        } else {
            first.content.append(.text(text))
        }
        messages[0] = first
    }
}
