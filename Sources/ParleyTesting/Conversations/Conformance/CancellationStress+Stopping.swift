// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleyConversation

extension CancellationStress {
    /// Sends a request and stops it at a random moment; returns what it delivered, and how long it took to end after
    /// the stop, or nil if it ended before.
    func replies(
        of conversation: Conversation, to message: ChatMessage, number: UInt64
    ) async -> (ConformanceTrial.Replies, latency: Duration?) {
        let pieces = longestWait == nil ? Int(number % UInt64(mostPieces + 1)) : .max
        let reply = conversation.reply(to: message, generationOptions: options)
        let stopping = ConformanceBox<ContinuousClock.Instant?>(nil)
        @Sendable func stop() {
            stopping.value = stopping.value ?? .now
            reply.stop()
        }
        if pieces == 0 { stop() }
        if let longestWait {
            let seconds = longestWait / .seconds(1) * Double(number % 1_024) / 1_024
            // No task: among many others it could be woken only when the reply has ended.
            DispatchQueue(label: "parley.stop").asyncAfter(deadline: .now() + seconds) { stop() }
        }
        var replies = ConformanceTrial.Replies()
        do {
            for try await response in reply {
                replies.responses.append(response)
                if case .complete = response { break }
                if replies.responses.count >= pieces { stop() }
            }
        } catch {
            replies.error = error as? ConversationError
        }
        return (replies, stopping.value.map { .now - $0 })
    }
}
