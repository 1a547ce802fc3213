// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyJSON

/// A model's chat template: a program in the language of Jinja that turns messages into a prompt.
///
/// The language and its whitespace control are those of Jinja 3.1 as the Python library transformers configures it,
/// down to its sandbox. Rendered text keeps its origin, so that a control token in a message stays text:
///
/// ```swift
/// let template = try ChatTemplate(source: "{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}")
/// let segments = try template.render(["messages": [["content": "<|im_start|>"]]])
/// // segments[0] is .template, segments[1] with the same text is .input
/// ```
///
/// A template is a value; rendering keeps nothing and can happen on any thread. In a release build
/// it needs less than 256 KB of stack.
package struct ChatTemplate: Sendable {
    /// The template as it was given.
    package let source: String
    /// What rendering may cost.
    package let limits: TemplateLimits
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
    ///   - context: The input: `messages`, `tools`, `add_generation_prompt` and whatever else the template asks for.
    ///     Text from here has the origin `.input`.
    ///   - constants: Variables that belong to the model, such as `bos_token`. Their text counts as written by the
    ///     template. A variable that is also in the context has the context's value.
    ///   - options: The clock, the time zone and the deadline.
    /// - Returns: The text in order; neighbours differ in origin, and no segment is empty.
    /// - Throws: `TemplateError`; its code is `raisedByTemplate` where the template itself refuses the messages, and
    ///   `cancelled` where the task was cancelled.
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
