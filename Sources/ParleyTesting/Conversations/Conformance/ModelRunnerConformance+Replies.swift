// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension ModelRunnerConformance {
    static let replyChecks: [Check] = [
        Check(name: "Pieces are never empty and never end inside a character (rule 9)") { trial in
            let conversation = trial.conversation()
            let replies = try await trial.replies(conversation)
            try trial.requireWellFormed(replies, in: conversation)
            let pieces = replies.responses.compactMap { response -> String? in
                if case .chunk(let text) = response { text } else { nil }
            }
            try trial.require(!pieces.contains(""), "A piece is empty.")
            let characters = pieces.reduce(0) { $0 + $1.count }
            try trial.require(characters == replies.text.count, "Joining pieces joins characters.")
            try trial.require(
                replies.responses.count > 5,
                "The reply came in \(replies.responses.count - 1) pieces; the subject's prompt needs a longer one.")
        },
        Check(name: "The budget of tokens ends a reply, and the statistics add up") { trial in
            let conversation = trial.conversation()
            var options = trial.subject.options
            options.maxTokens = 3
            let replies = try await trial.replies(conversation, options: options)
            try trial.requireWellFormed(replies, in: conversation)
            let reason = replies.completions.first?.finishReason
            try trial.require(reason == .length, "The reason is `\(String(describing: reason))`, not `length`.")
            guard let stats = replies.completions.first?.stats else { return }
            try trial.require(stats.completionTokens == 3, "\(stats.completionTokens) tokens were generated, not 3.")
            try trial.require(stats.promptTokens > 0, "The prompt has no tokens.")
            try trial.require(
                stats.totalTokens == stats.promptTokens + 3 && stats.cachedPromptTokens <= stats.promptTokens,
                "The statistics are \(stats).")
        },
        Check(name: "A stop string ends a reply and is no part of it") { trial in
            let conversation = trial.conversation()
            let whole = try await trial.replies(conversation)
            // The stop string is taken from the middle of the reply, and extends over several pieces.
            let letters = Array(whole.text)
            guard trial.subject.isDeterministic, letters.count >= 12 else { return }
            let stop = String(letters[letters.count / 2..<letters.count / 2 + 4])
            var options = trial.subject.options
            options.stop = [stop]
            let other = trial.conversation()
            let replies = try await trial.replies(other, options: options)
            try trial.requireWellFormed(replies, in: other)
            let reason = replies.completions.first?.finishReason
            try trial.require(reason == .stop, "The reason is `\(String(describing: reason))`, not `stop`.")
            try trial.require(!replies.text.contains(stop), "The stop string is in the reply.")
            try trial.require(whole.text.hasPrefix(replies.text + stop), "The reply does not end at the stop string.")
        },
        Check(name: "Options out of range are refused and change nothing (rule 6)") { trial in
            let conversation = trial.conversation()
            let replies = try await trial.replies(conversation, options: GenerationOptions(topP: 2))
            try trial.require(replies.error?.code == .invalidInput, "It threw \(String(describing: replies.error)).")
            try trial.require(conversation.history.isEmpty, "The history is \(conversation.history).")
        },
        Check(name: "Without any message there is nothing to reply to (rule 6)") { trial in
            let replies = try await ConformanceTrial.collect(trial.conversation().generateResponse())
            try trial.require(replies.error?.code == .invalidInput, "It threw \(String(describing: replies.error)).")
        },
    ]
}
