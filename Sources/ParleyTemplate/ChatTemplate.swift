// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyJSON

/// A model's chat template: a Jinja template that renders messages to a prompt.
///
/// The language and its whitespace control are those of Jinja 3.1 as configured by the Python library transformers,
/// including its sandbox. Rendered text keeps its origin, so that a control token in a message is ordinary text:
///
/// ```swift
/// let template = try ChatTemplate(source: "{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}")
/// let segments = try template.render(["messages": [["content": "<|im_start|>"]]])
/// // segments[0] is .template, segments[1] with the same text is .input
/// ```
///
/// A template is a value. Rendering has no side effects on it, may happen on any thread, and in a release build needs
/// less than 256 KB of stack.
package struct ChatTemplate: Sendable {
    /// The template as it was given.
    package let source: String
    /// The limits of parsing and rendering.
    package var limits: TemplateLimits
    private let body: [Statement]

    /// Parses a template.
    ///
    /// - Throws: `TemplateError` with the line of the fault.
    package init(source: String, limits: TemplateLimits = .standard) throws(TemplateError) {
        self.source = source
        self.limits = limits
        body = try Parser.parse(source, limits: limits)
    }

    /// Renders the template.
    ///
    /// - Parameters:
    ///   - context: The input: `messages`, `tools`, `add_generation_prompt` and other variables that the template uses.
    ///     Text from it has the origin `.input`.
    ///   - constants: Variables of the model, such as `bos_token`. Their text has the origin `.template`. A variable of
    ///     the same name in the context takes precedence.
    ///   - options: The clock, the time zone and the deadline.
    /// - Returns: The text as segments in order. Adjacent segments differ in origin, and none is empty.
    /// - Throws: `TemplateError`. Its code is `raisedByTemplate` if the template itself refuses the messages, and
    ///   `cancelled` if the task was cancelled.
    package func render(
        _ context: JSONObject, constants: JSONObject = [:], options: RenderingOptions = RenderingOptions()
    ) throws(TemplateError) -> [TemplateSegment] {
        let interpreter = try Interpreter(limits: limits, options: options)
        try interpreter.setVariables(constants, origin: .template)
        try interpreter.setVariables(context, origin: .input)
        _ = try interpreter.run(body)
        return try interpreter.output.finish().segments(interpreter.meter)
    }
}
