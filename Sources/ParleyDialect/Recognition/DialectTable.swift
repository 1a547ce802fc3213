// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// What in a chat template tells how its model calls functions and between which tags it reasons.
private enum DialectTable {
    /// The texts by which templates of a format are known.
    struct Row {
        var format: FunctionCallFormat
        /// At least one of these is there, all of the next, and none of the last.
        var any: [String]
        var all: [String] = []
        var none: [String] = []
    }

    /// The first row that fits counts.
    static let calls = [
        Row(format: .lfmPythonic, any: ["<|tool_call_start|>", "<|tool_list_start|>", "List of tools: ["]),
        // The tags alone do not say it: others write XML between them.
        Row(format: .hermes, any: ["<tool_call>"], none: ["<function=", "<arg_key>"]),
        Row(format: .mistralNamed, any: ["[TOOL_CALLS]"], all: ["[ARGS]"]),
        Row(format: .mistralJSON, any: ["[TOOL_CALLS]"]),
        Row(format: .llama3JSON, any: ["<|python_tag|>", "\"parameters\": dictionary"]),
    ]

    /// The first pair counts of which a template has a tag.
    static let reasoning: [ReasoningTags] = [
        .think, ReasoningTags(opening: "<thinking>", closing: "</thinking>"), .mistral,
        ReasoningTags(opening: "<|START_THINKING|>", closing: "<|END_THINKING|>"),
        ReasoningTags(opening: "<seed:think>", closing: "</seed:think>"),
    ]
}

extension FunctionCallSupport {
    /// Finds out from the text of a chat template, by the tags that it writes.
    ///
    /// A template that takes no tools gets the Hermes form, described in the system message: such a model was not
    /// trained for calls, and this form is the most common among those that were.
    public init(template: String) {
        // As bytes: what follows a tag may combine with its last character.
        let bytes = Array(template.utf8)
        func has(_ mark: String) -> Bool { bytes.contains(Array(mark.utf8)) }
        takesFunctions = has("tools")
        let row = DialectTable.calls.first { row in
            row.any.contains(where: has) && row.all.allSatisfy(has) && !row.none.contains(where: has)
        }
        format = takesFunctions ? row?.format ?? .rawText : .hermes
    }
}

extension ReasoningTags {
    /// The tags that a chat template mentions; ``ReasoningTags/think`` where it mentions none.
    public init(template: String) {
        let tags = DialectTable.reasoning.first { template.contains($0.closing) || template.contains($0.opening) }
        self = tags ?? .think
    }
}
