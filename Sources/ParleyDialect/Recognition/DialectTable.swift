// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// Recognises from the text of a chat template how its model calls functions and which tags it uses for reasoning.
private enum DialectTable {
    /// The texts that identify templates of a format.
    struct Row {
        var format: FunctionCallFormat
        /// The template contains at least one of `any`, all of `all`, and none of `none`.
        var any: [String]
        var all: [String] = []
        var none: [String] = []
    }

    /// The rows in order of precedence: the first one that matches is used.
    static let calls = [
        Row(format: .lfmPythonic, any: ["<|tool_call_start|>", "<|tool_list_start|>", "List of tools: ["]),
        Row(format: .apriel, any: ["<tool_calls>["]),
        Row(format: .harmony, any: ["<|channel|>commentary"], all: ["functions."]),
        Row(format: .gemma, any: ["<|tool_call>call:"]),
        Row(format: .qwenCoder, any: ["<tool_call>"], all: ["<function=", "<parameter="]),
        // The tags alone are not sufficient, because other models write other calls between them.
        Row(format: .hermes, any: ["<tool_call>"], none: ["<function=", "<arg_key>", "<tool_calls>", "<mm:think>"]),
        Row(format: .mistralNamed, any: ["[TOOL_CALLS]"], all: ["[ARGS]"]),
        Row(format: .mistralJSON, any: ["[TOOL_CALLS]"]),
        Row(format: .llama3JSON, any: ["<|python_tag|>", "\"parameters\": dictionary"], none: ["<function="]),
    ]

    /// The pairs in order of precedence: the first one whose opening tag a template contains is used, or else the first
    /// one whose closing tag it contains; those with tags around the answer only where it contains these.
    static let reasoning: [ReasoningTags] = [
        // Granite 3.3.
        ReasoningTags(
            opening: "<think>", closing: "</think>", answerOpening: "<response>", answerClosing: "</response>"),
        .think,
        // Apriel, whose prompts end with these words. Its templates mention `<thinking>` as well.
        ReasoningTags(
            opening: "Here are my reasoning steps:", closing: "[BEGIN FINAL RESPONSE]",
            hidden: ["[END FINAL RESPONSE]"]),
        ReasoningTags(opening: "<thinking>", closing: "</thinking>"), .mistral,
        ReasoningTags(opening: "<|START_THINKING|>", closing: "<|END_THINKING|>"),
        ReasoningTags(opening: "<seed:think>", closing: "</seed:think>"),
        ReasoningTags(opening: "<mm:think>", closing: "</mm:think>"),
        .harmony,
        // Gemma 4's channel of thoughts; a line break follows the name.
        ReasoningTags(opening: "<|channel>thought", closing: "<channel|>"),
    ]
}

extension FunctionCallSupport {
    /// Determines the support from the tags in the text of a chat template.
    ///
    /// For a template without tools, the Hermes format is used and described in the system message: such a model was
    /// not trained for calls, and this is the most common format of those that were.
    public init(template: String) {
        // Compared as bytes, because a combining mark after a tag would change its last character.
        func has(_ mark: String) -> Bool { template.utf8.contains(mark.utf8) }
        takesFunctions = has("tools")
        let row = DialectTable.calls.first { row in
            row.any.contains(where: has) && row.all.allSatisfy(has) && !row.none.contains(where: has)
        }
        format = takesFunctions ? row?.format ?? .rawText : .hermes
    }
}

extension ReasoningTags {
    /// The tags that occur in a chat template; ``ReasoningTags/think`` if none do.
    public init(template: String) {
        // Compared as bytes, because a combining mark after a tag would change its last character.
        func has(_ tag: String) -> Bool { template.utf8.contains(tag.utf8) }
        let known = DialectTable.reasoning.filter { $0.answerOpening.isEmpty || has($0.answerOpening) }
        // Where a reply is several messages, what ends one is no sign of reasoning.
        self = known.first { has($0.opening) } ?? known.first { $0.message.isEmpty && has($0.closing) } ?? .think
    }
}
