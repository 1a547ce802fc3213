// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension ModelRunnerConformance {
    static let sharingChecks: [Check] = [
        Check(name: "The same seed, options and history give the same reply (rule 14)") { trial in
            guard trial.subject.isDeterministic else { return }
            let first = try await trial.replies(trial.conversation())
            let second = try await trial.replies(trial.conversation())
            try trial.require(
                first.completions.first?.message == second.completions.first?.message, "The replies differ.")
        },
        Check(name: "Two conversations on one runner do not disturb each other (rule 3)") { trial in
            let prompt = trial.subject.prompt
            let prompts = [prompt, prompt + " Begin with two."]
            var alone: [String] = []
            for prompt in prompts {
                alone.append(try await trial.replies(trial.conversation(), to: .user(prompt)).text)
            }
            async let left = trial.round(prompts[0])
            async let right = trial.round(prompts[1])
            let together = try await [left, right]
            if trial.subject.isDeterministic {
                try trial.require(together == alone, "Together they say something else than alone.")
            }
        },
    ]
}

extension ConformanceTrial {
    /// Sends a message in a new conversation, and returns the text of the reply.
    fileprivate func round(_ prompt: String) async throws -> String {
        let conversation = conversation()
        let replies = try await replies(conversation, to: .user(prompt))
        try requireWellFormed(replies, in: conversation)
        let expected = [ChatMessage.user(prompt)] + replies.completions.map(\.message)
        try require(conversation.history == expected, "The history is \(conversation.history).")
        return replies.text
    }
}
