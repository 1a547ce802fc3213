// SPDX-License-Identifier: Apache-2.0

/// How a model is told of functions and how it calls them, as its chat template shows.
public struct FunctionCallSupport: Hashable, Sendable {
    /// How calls are written; ``FunctionCallFormat/rawText`` for a template whose format is not known.
    public var format: FunctionCallFormat
    /// Whether the functions go to the template. Otherwise they are described in the system message.
    public var takesFunctions: Bool

    /// Creates a description of what a model can do.
    public init(format: FunctionCallFormat, takesFunctions: Bool) {
        self.format = format
        self.takesFunctions = takesFunctions
    }

    /// Finds out from the text of a chat template, by the tags that it writes.
    ///
    /// A template that takes no tools gets the Hermes form, described in the system message: such a model was not
    /// trained for calls, and this form is the most common among those that were.
    public init(template: String) {
        // As bytes: what follows a tag may combine with its last character.
        let bytes = Array(template.utf8)
        func has(_ marker: String) -> Bool { bytes.contains(Array(marker.utf8)) }
        takesFunctions = has("tools")
        if !takesFunctions {
            format = .hermes
        } else if has("<|tool_call_start|>") || has("<|tool_list_start|>") || has("List of tools: [") {
            format = .lfmPythonic
        } else if has("<tool_call>"), !has("<function="), !has("<arg_key>") {
            // The tags alone do not say it: others write XML between them.
            format = .hermes
        } else if has("[TOOL_CALLS]") {
            format = has("[ARGS]") ? .mistralNamed : .mistralJSON
        } else if has("<|python_tag|>") || has("\"parameters\": dictionary") {
            format = .llama3JSON
        } else {
            format = .rawText
        }
    }
}
