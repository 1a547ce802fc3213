// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleyConversation

extension ModelRunnerConformance {
    static let stoppingChecks: [Check] = [
        Check(name: "Stopping keeps the message and the partial reply, and the runner is usable at once (rule 4)") {
            trial in
            let conversation = trial.conversation()
            let reply = conversation.reply(to: trial.subject.prompt, generationOptions: trial.subject.options)
            var replies = ConformanceTrial.Replies()
            for try await response in reply {
                replies.responses.append(response)
                reply.stop()
            }
            try trial.requireStopped(replies, in: conversation, mayHaveEnded: true)
            let completion = try await reply.completion
            try trial.require(replies.completions == [completion], "The completion is another than the last response.")
            try trial.requireWellFormed(try await trial.replies(conversation), in: conversation)
        },
        Check(name: "Stopping from a callback keeps the message and the partial reply (rule 4)") { trial in
            let conversation = trial.conversation()
            let handler = ConformanceBox<(any GenerationHandler)?>(nil)
            let hasHandler = DispatchSemaphore(value: 0)
            let recorder = ResponseRecorder()
            handler.value = conversation.generateResponse(
                message: .user(trial.subject.prompt), generationOptions: trial.subject.options,
                onResponse: { response in
                    guard recorder.record(response) else { return }
                    // The callback may be called before `generateResponse` returns the handler.
                    hasHandler.wait()
                    handler.value?.stop()
                },
                onError: { recorder.record($0) })
            hasHandler.signal()
            await recorder.end()
            try trial.requireStopped(recorder.replies, in: conversation)
        },
        Check(name: "Stopping before anything was said keeps the message alone (rule 4)") { trial in
            let conversation = trial.conversation()
            let recorder = ResponseRecorder()
            conversation.generateResponse(
                message: .user(trial.subject.prompt), generationOptions: trial.subject.options,
                onResponse: { recorder.record($0) }, onError: { recorder.record($0) })?.stop()
            await recorder.end()
            // A quick runner may have replied before this thread went on to stop it.
            try trial.requireStopped(recorder.replies, in: conversation, mayHaveEnded: true)
        },
        Check(name: "Cancelling the task that reads the reply stops it, and its completion still comes (rule 4)") {
            trial in
            let conversation = trial.conversation()
            let reply = conversation.reply(to: trial.subject.prompt, generationOptions: trial.subject.options)
            let reader = Task {
                var replies = ConformanceTrial.Replies()
                for try await response in reply {
                    withUnsafeCurrentTask { $0?.cancel() }
                    replies.responses.append(response)
                }
                return (replies, try await reply.completion)
            }
            let (replies, completion) = try await reader.value
            try trial.requireStopped(replies, in: conversation, mayHaveEnded: true)
            try trial.require(replies.completions == [completion], "The completion is another than the last response.")
            try trial.requireWellFormed(try await trial.replies(conversation), in: conversation)
        },
        Check(name: "A request made while another is stopping waits for its end (rule 4)") { trial in
            let conversation = trial.conversation()
            conversation.generateResponse(
                message: .user(trial.subject.prompt), generationOptions: trial.subject.options, onResponse: { _ in })?
                .stop()
            let replies = try await trial.replies(conversation)
            try trial.requireWellFormed(replies, in: conversation)
            let users = conversation.history.filter { $0.role == .user }
            try trial.require(users.count == 2, "The history is \(conversation.history).")
        },
        Check(name: "Unloading ends a generation as cancelled, and then everything is refused (rule 5)") { trial in
            let conversation = trial.conversation()
            let unloading = ConformanceBox<Task<Void, Never>?>(nil)
            let runner = trial.runner
            let replies = try await trial.replies(conversation) { unloading.value = Task { await runner.unload() } }
            await unloading.value?.value
            try trial.requireStopped(replies, in: conversation, mayHaveEnded: true)
            let history = conversation.history
            try trial.require(history.first == .user(trial.subject.prompt), "The history is \(history).")
            let later = try await trial.replies(conversation)
            try trial.require(later.error?.code == .modelNotLoaded, "A later request did not throw `modelNotLoaded`.")
            try trial.require(conversation.history == history, "A refused request changed the history.")
            do {
                _ = try await runner.promptTokenCount(messages: history, functions: [], options: nil)
                try trial.require(false, "Counting tokens did not throw.")
            } catch let error as ConversationError {
                try trial.require(error.code == .modelNotLoaded, "Counting tokens threw `\(error.code)`.")
            }
            await runner.unload()
        },
    ]
}

extension ConformanceTrial {
    /// Checks a reply that was stopped, or, if `mayHaveEnded` is true, may have ended before.
    func requireStopped(_ replies: Replies, in conversation: Conversation, mayHaveEnded: Bool = false) throws {
        try requireWellFormed(replies, in: conversation)
        guard let completion = replies.completions.first else { return }
        let isStopped = completion.finishReason == .cancelled
        try require(isStopped || mayHaveEnded, "The reason is `\(completion.finishReason)`, not `cancelled`.")
        let partial = isStopped && completion.message.isEmpty ? [] : [completion.message]
        try require(
            conversation.history == [.user(subject.prompt)] + partial, "The history is \(conversation.history).")
    }
}
