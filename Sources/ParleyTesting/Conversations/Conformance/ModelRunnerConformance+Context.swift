// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension ModelRunnerConformance {
    static let contextChecks: [Check] = [
        Check(name: "A prompt that cannot fit throws with both sizes and adds nothing (rule 6)") { trial in
            let conversation = trial.conversation([.system("Be brief.")])
            let replies = try await trial.replies(conversation, to: .user(trial.subject.oversizedText))
            try trial.require(replies.responses.isEmpty, "It replied.")
            try trial.require(
                replies.error?.code == .promptExceedsContext, "It threw \(String(describing: replies.error)).")
            let promptTokens = replies.error?.promptTokens ?? 0
            let contextTokens = replies.error?.contextTokens ?? 0
            try trial.require(
                promptTokens > contextTokens && contextTokens > 0, "The sizes are \(promptTokens) and \(contextTokens)."
            )
            try trial.require(conversation.history == [.system("Be brief.")], "The history has changed.")
            try trial.requireWellFormed(try await trial.replies(conversation), in: conversation)
        },
        Check(name: "Old turns are left out where the policy says so, and the history keeps them (rule 7)") { trial in
            let old: [ChatMessage] = [
                .system("Be brief."), .user(trial.subject.oversizedText), .assistant("That is long."),
            ]
            let conversation = trial.conversation(old)
            conversation.contextPolicy = .dropOldestTurns
            let replies = try await trial.replies(conversation)
            try trial.requireWellFormed(replies, in: conversation)
            let dropped = replies.completions.first?.info.prompt.droppedTurns
            try trial.require(dropped == 1, "\(dropped ?? 0) turns were left out, not one.")
            try trial.require(
                conversation.history.count == 5 && Array(conversation.history.prefix(3)) == old,
                "The history has lost something.")
        },
        Check(name: "Counting tokens gives the size of the prompt that is sent (rule 8)") { trial in
            let conversation = trial.conversation([.system("Be brief.")])
            conversation.registerFunction(weather)
            let message = ChatMessage.user(trial.subject.prompt)
            let counted = try await conversation.promptTokenCount(
                adding: message, generationOptions: trial.subject.options)
            let replies = try await trial.replies(conversation, to: message)
            try trial.requireWellFormed(replies, in: conversation)
            let sent = replies.completions.first?.stats?.promptTokens
            try trial.require(sent == counted, "\(counted) tokens were counted and \(sent ?? 0) sent.")
        },
        Check(name: "Functions and the schema count as part of the prompt (rule 8)") { trial in
            let messages = [ChatMessage.user(trial.subject.prompt)]
            var options = trial.subject.options
            let bare = try await trial.runner.promptTokenCount(messages: messages, functions: [], options: options)
            let withFunction = try await trial.runner.promptTokenCount(
                messages: messages, functions: [weather], options: options)
            try trial.require(withFunction > bare, "A function adds nothing to the prompt.")
            options.jsonSchemaConstraint = .object(["answer": .string(description: "The answer to the question")])
            let withSchema = try await trial.runner.promptTokenCount(
                messages: messages, functions: [], options: options)
            try trial.require(withSchema > bare, "A schema adds nothing to the prompt.")
            options.injectSchemaIntoPrompt = false
            let withoutSchema = try await trial.runner.promptTokenCount(
                messages: messages, functions: [], options: options)
            try trial.require(withoutSchema == bare, "A schema that is not to be shown is (rule 13).")
        },
    ]

    private static let weather = Function(
        name: "get_weather", description: "The weather in a city",
        parameters: [FunctionParameter(name: "city", type: .string(), description: "The city's name")])
}
