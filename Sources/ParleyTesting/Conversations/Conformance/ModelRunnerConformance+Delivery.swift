// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleyConversation

extension ModelRunnerConformance {
    static let deliveryChecks: [Check] = [
        Check(name: "A callback may wait for the reply of another conversation, and holds up its own alone (rule 3)") {
            trial in
            let conversation = trial.conversation()
            let other = trial.conversation()
            let recorder = ResponseRecorder()
            let otherRecorder = ResponseRecorder()
            let isOtherDone = DispatchSemaphore(value: 0)
            let hasWaited = ConformanceBox(false)
            let wasHeldUp = ConformanceBox(false)
            conversation.generateResponse(
                message: .user(trial.subject.prompt), generationOptions: trial.subject.options,
                onResponse: { response in
                    guard recorder.record(response) else { return }
                    other.generateResponse(
                        message: .user(trial.subject.prompt), generationOptions: trial.subject.options,
                        onResponse: { response in
                            otherRecorder.record(response)
                            if case .complete = response { isOtherDone.signal() }
                        })
                    hasWaited.value = trial.waits(for: isOtherDone)
                    wasHeldUp.value = conversation.isGenerating
                },
                onError: { recorder.record($0) })
            await recorder.end()
            try trial.require(hasWaited.value, "The other conversation got no reply while a callback waited for it.")
            try trial.require(wasHeldUp.value, "The reply had ended while its first piece was still being heard.")
            try trial.requireWellFormed(recorder.replies, in: conversation)
            try trial.requireWellFormed(otherRecorder.replies, in: other)
        },
        Check(name: "A callback that does not return keeps neither stopping nor unloading from their end (rules 4, 5)")
        {
            trial in
            let conversation = trial.conversation()
            let recorder = ResponseRecorder()
            let (first, begun) = AsyncStream.makeStream(of: Void.self)
            let mayReturn = DispatchSemaphore(value: 0)
            let wasReleased = ConformanceBox(true)
            let handler = conversation.generateResponse(
                message: .user(trial.subject.prompt), generationOptions: trial.subject.options,
                onResponse: { response in
                    guard recorder.record(response) else { return }
                    begun.finish()
                    wasReleased.value = trial.waits(for: mayReturn)
                },
                onError: { recorder.record($0) })
            for await _ in first {}
            handler?.stop()
            await conversation.waitUntilIdle()
            let history = conversation.history
            await trial.runner.unload()
            mayReturn.signal()
            await recorder.end()
            try trial.require(wasReleased.value, "Stopping waited for a callback.")
            try trial.require(history.first == .user(trial.subject.prompt), "The history is \(history).")
            try trial.requireStopped(recorder.replies, in: conversation)
        },
        Check(name: "A stream that nobody reads keeps no reply from its end, and can be read later (rules 1, 3)") {
            trial in
            let conversation = trial.conversation()
            let unread = conversation.reply(
                to: trial.subject.prompt, generationOptions: trial.subject.options)
            let other = trial.conversation()
            try trial.requireWellFormed(try await trial.replies(other), in: other)
            await conversation.waitUntilIdle()
            let roles = conversation.history.map(\.role)
            try trial.require(roles == [.user, .assistant], "The roles are \(roles).")
            try trial.requireWellFormed(try await ConformanceTrial.collect(unread), in: conversation)
        },
    ]
}

extension ConformanceTrial {
    /// Blocks the calling thread until a semaphore is signalled.
    ///
    /// - Returns: whether it was signalled within the subject's patience.
    fileprivate func waits(for semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + subject.patience / .seconds(1)) == .success
    }
}
