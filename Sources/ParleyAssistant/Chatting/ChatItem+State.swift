// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension ChatItem {
    /// How far a message has come.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// A reply that waits for others to end.
        case queued
        /// A reply of which nothing is known yet: its prompt is being built.
        case preparing
        /// A reply whose prompt the model is reading.
        case reading
        /// A reply before whose answer the model reasons.
        case thinking
        /// A reply of which a part is there.
        case writing
        /// A whole message, or a reply that a limit has ended.
        case done
        /// A reply that the user has stopped, or that has ended with the program.
        case stopped
        /// A reply that took too long.
        case timedOut = "timed_out"
        /// A reply that ended with an error.
        case failed
        /// A whole reply that had been cut off and was continued.
        case continued
    }

    /// How far the message has come.
    public var state: State {
        if failure != nil { return .failed }
        if isStreaming {
            if isThinking { return .thinking }
            switch progress {
            case .queued?: return .queued
            case .reading?: return .reading
            case nil: return isBlank ? .preparing : .writing
            }
        }
        switch ending {
        case .stopped: return .stopped
        case .timedOut: return .timedOut
        default: return isContinued ? .continued : .done
        }
    }

    /// Whether the message is a reply that was cut off, so that the model can go on with it. An answer from the web, one
    /// that called tools and one that has cards can only be asked for anew.
    public var canBeContinued: Bool {
        guard author == .assistant, !isStreaming, cards.isEmpty, sources.isEmpty, calls.isEmpty else { return false }
        return failure != nil || [.stopped, .timedOut, .length, .contextFull].contains(ending)
    }
}
