// SPDX-License-Identifier: Apache-2.0

/// Suggests one request for each kind of action, as the system prompt explains them.
public struct StandardPrompts: PromptSuggester {
    private let tags: [ActionTag]

    /// Creates suggestions for some kinds of actions.
    public init(tags: [ActionTag] = ActionTag.allCases) { self.tags = tags }

    /// Some prompts for an empty chat.
    public func prompts(_ count: Int) async -> [String] {
        Array(tags.compactMap { $0.examples.first?.request }.prefix(count))
    }
}
