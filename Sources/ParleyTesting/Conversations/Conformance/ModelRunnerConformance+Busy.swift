// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension ModelRunnerConformance {
    static let busyChecks: [Check] = [
        Check(name: "A request to a busy conversation gets an empty reply where the policy says so (rule 2)") { trial in
            let conversation = trial.conversation()
            conversation.busyPolicy = .ignore
            let second = ConformanceBox<Reply?>(nil)
            let third = ResponseRecorder()
            let wasTurnedAway = ConformanceBox(false)
            let first = try await trial.replies(conversation) {
                second.value = conversation.reply(to: "And now?")
                let handler = conversation.generateResponse(
                    message: .user("And now?"), onResponse: { third.record($0) })
                wasTurnedAway.value = handler == nil
            }
            try trial.requireWellFormed(first, in: conversation)
            await third.end()
            guard let reply = second.value else { return }
            let replies = try await ConformanceTrial.collect(reply)
            try trial.require(replies.responses.isEmpty && replies.error == nil, "The reply was not empty.")
            try trial.require(wasTurnedAway.value, "The callback form returned a handler.")
            let reasons = third.replies.completions.map(\.finishReason)
            try trial.require(
                reasons == [.stop] && third.replies.responses.count == 1, "The callback heard \(third.replies).")
            try trial.require(conversation.history.count == 2, "The history is \(conversation.history).")
        },
        Check(name: "Requests queue where the policy says so (rule 2)") { trial in
            let conversation = trial.conversation()
            conversation.busyPolicy = .queue
            let options = trial.subject.options
            let second = ConformanceBox<Reply?>(nil)
            let recorder = ResponseRecorder()
            conversation.generateResponse(
                message: .user(trial.subject.prompt), generationOptions: options,
                onResponse: { response in
                    guard recorder.record(response) else { return }
                    second.value = conversation.reply(to: "Again!", generationOptions: options)
                },
                onError: { recorder.record($0) })
            await recorder.end()
            try trial.require(recorder.replies.completions.count == 1, "The first reply did not end as one.")
            guard let reply = second.value else { return }
            try trial.requireWellFormed(try await ConformanceTrial.collect(reply), in: conversation)
            let texts = conversation.history.filter { $0.role == .user }.map(\.text)
            try trial.require(texts == [trial.subject.prompt, "Again!"], "The user's messages are \(texts).")
            let roles = conversation.history.map(\.role)
            try trial.require(roles == [.user, .assistant, .user, .assistant], "The roles are \(roles).")
        },
        Check(name: "A request to a busy conversation is refused and changes nothing (rule 2)") { trial in
            let conversation = trial.conversation()
            let second = ConformanceBox<Reply?>(nil)
            let first = try await trial.replies(conversation) {
                second.value = conversation.reply(to: "And now?")
            }
            try trial.requireWellFormed(first, in: conversation)
            guard let reply = second.value else { return }
            let replies = try await ConformanceTrial.collect(reply)
            try trial.require(replies.error?.code == .busy, "The reply did not throw `busy`.")
            try trial.require(conversation.history.count == 2, "The history is \(conversation.history).")
        },
    ]
}
