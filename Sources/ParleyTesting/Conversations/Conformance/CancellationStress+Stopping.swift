// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension CancellationStress {
    /// What comes of a request that is stopped at the moment that a random number stands for.
    func replies(
        of conversation: Conversation, to message: ChatMessage, _ stopper: GenerationStopper, number: UInt64
    ) async -> ConformanceTrial.Replies {
        let recorder = ResponseRecorder()
        let pieces = longestWait == nil ? Int(number % UInt64(mostPieces + 1)) : .max
        let handler = conversation.generateResponse(
            message: message, generationOptions: options,
            onResponse: { response in
                recorder.record(response)
                if case .complete = response { return }
                if recorder.replies.responses.count >= pieces { stopper.stop() }
            },
            onError: { recorder.record($0) })
        stopper.take(handler)
        if pieces == 0 { stopper.stop() }
        guard let longestWait else {
            await recorder.end()
            return recorder.replies
        }
        let wait = longestWait * (Double(number % 1_024) / 1_024)
        await withTaskGroup { group in
            group.addTask { await recorder.end() }
            group.addTask {
                try? await Task.sleep(for: wait)
                stopper.stop()
            }
            await group.waitForAll()
        }
        return recorder.replies
    }
}
