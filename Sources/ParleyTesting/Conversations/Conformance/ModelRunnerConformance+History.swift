// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyOpenAI

extension ModelRunnerConformance {
    static let historyChecks: [Check] = [
        Check(name: "A reply ends with one completion, and message and reply are in the history (rule 1)") { trial in
            let conversation = trial.conversation([.system("Be brief.")])
            let replies = try await trial.replies(conversation)
            try trial.requireWellFormed(replies, in: conversation)
            let expected: [ChatMessage] =
                [.system("Be brief."), .user(trial.subject.prompt)] + replies.completions.map(\.message)
            try trial.require(conversation.history == expected, "The history is \(conversation.history).")
        },
        Check(name: "The message is in the history before the first piece, the reply before the completion (rule 1)") {
            trial in
            let conversation = trial.conversation()
            let atFirst = ConformanceBox<[ChatMessage]>([])
            let atEnd = ConformanceBox<[ChatMessage]>([])
            let recorder = ResponseRecorder()
            conversation.generateResponse(
                message: .user(trial.subject.prompt), generationOptions: trial.subject.options,
                onResponse: { response in
                    if case .complete = response { atEnd.value = conversation.history }
                    if recorder.record(response) { atFirst.value = conversation.history }
                },
                onError: { recorder.record($0) })
            await recorder.end()
            try trial.requireWellFormed(recorder.replies, in: conversation)
            let user = ChatMessage.user(trial.subject.prompt)
            try trial.require(atFirst.value == [user], "At the first piece the history is \(atFirst.value).")
            try trial.require(
                atEnd.value == [user] + recorder.replies.completions.map(\.message),
                "At the completion the history is \(atEnd.value).")
        },
        Check(name: "A second turn follows the first (rule 1)") { trial in
            let conversation = trial.conversation()
            for _ in 0..<2 {
                try trial.requireWellFormed(try await trial.replies(conversation), in: conversation)
            }
            let roles = conversation.history.map(\.role)
            try trial.require(roles == [.user, .assistant, .user, .assistant], "The roles are \(roles).")
        },
        Check(name: "A reply can be had without a new message (rule 1)") { trial in
            let conversation = trial.conversation([.user(trial.subject.prompt)])
            let replies = try await ConformanceTrial.collect(
                conversation.generateResponse(generationOptions: trial.subject.options))
            try trial.requireWellFormed(replies, in: conversation)
            let roles = conversation.history.map(\.role)
            try trial.require(roles == [.user, .assistant], "The roles are \(roles).")
        },
        Check(name: "Exporting, importing and exporting again gives the same bytes (rule 15)") { trial in
            let conversation = trial.conversation([.system("Be brief.")])
            try trial.requireWellFormed(try await trial.replies(conversation), in: conversation)
            let data = try conversation.exportToJSON()
            let copy = try Conversation(importing: data, modelRunner: trial.runner)
            try trial.require(try copy.exportToJSON() == data, "The second export differs.")
        },
    ]
}
