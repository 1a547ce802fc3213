// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
package import ParleyJSON

/// The input for a chat template: the messages of a request, including everything that the template itself does not
/// support.
///
/// ```swift
/// func prepare(_ request: GenerationRequest, template: String) -> PreparedPrompt {
///     PreparedPrompt(
///         messages: request.messages, functions: request.functions, options: request.options,
///         support: FunctionCallSupport(template: template))
/// }
/// ```
///
/// The conversation's history does not change.
public struct PreparedPrompt: Sendable {
    /// The messages for the template.
    public var messages: [ChatMessage]
    /// The functions for the template's tools; empty if it does not support tools, or if the model must not call
    /// functions.
    public var functions: [Function]
    /// The functions that the model may call, whether they are described by the template or in the system message.
    public var callableFunctions: [Function]
    /// The format for parsing calls in the reply; nil if calls are not parsed.
    public var functionCallFormat: FunctionCallFormat?
    /// The report on how the prompt was made, for ``ResponseWriter/acceptPrompt(_:)``.
    public var report: PromptReport
    /// Further variables for the template.
    package var variables: JSONObject

    /// Prepares a prompt.
    ///
    /// Functions that the template does not support, and the schema for the reply, are described in the system message.
    /// Calls and results that such a template would drop are written as text.
    ///
    /// - Parameters:
    ///   - messages: the history.
    ///   - functions: the functions that the model may call.
    ///   - options: the schema and whether functions are called.
    ///   - support: the function-call support of the model's template; see ``FunctionCallSupport/init(template:)``.
    public init(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions, support: FunctionCallSupport
    ) {
        callableFunctions = Self.callable(functions, options.functionCalling)
        let format = (options.functionCallParser ?? support.format).reading(callsOf: callableFunctions)
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

    /// The two variables in use for switching reasoning on and off: Qwen's and another one.
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
