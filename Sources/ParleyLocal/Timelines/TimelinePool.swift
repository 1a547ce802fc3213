// SPDX-License-Identifier: Apache-2.0

import Logging
import ParleyConversation
import ParleyRuntime
import Synchronization

/// The timelines of a model. Each conversation keeps its own, so that only the new tokens of a turn have to be
/// processed.
///
/// If the maximum number of timelines exists, a conversation that needs one takes over the least recently used.
final class TimelinePool: Sendable {
    private struct Idle {
        var owner: ConversationID
        var timeline: any TokenTimeline
    }

    private struct State {
        /// The idle timelines, starting with the least recently used.
        var idle: [Idle] = []
        var busyCount = 0
    }

    /// No other lock is taken while this one is held: timelines are created and freed after its release.
    private let state = Mutex(State())
    private let model: any TokenModel
    private let capacity: Int
    private let limit: Int
    private let logger: Logger

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - capacity: the most positions of each timeline.
    ///   - limit: the number of timelines to keep; more are created only for generations that run at the same time.
    ///   - logger: records when timelines are created and freed, and why.
    init(model: any TokenModel, capacity: Int, limit: Int, logger: Logger) {
        self.model = model
        self.capacity = capacity
        self.limit = max(limit, 1)
        self.logger = logger
    }

    /// The number of timelines that are kept for their conversation's next turn.
    var idleCount: Int { state.withLock { $0.idle.count } }

    /// Runs a generation of a conversation on a timeline.
    ///
    /// - Throws: `RuntimeError` if there is not enough memory for a timeline, and any error of `body`.
    func withTimeline<Value>(
        for owner: ConversationID, _ body: (any TokenTimeline) async throws -> Value
    ) async throws -> Value {
        let timeline = try take(for: owner)
        defer { giveBack(timeline, owner) }
        return try await body(timeline)
    }

    /// Frees the timeline of a conversation.
    func remove(_ owner: ConversationID) {
        let removed = state.withLock { state in
            let index = state.idle.firstIndex { $0.owner == owner }
            return index.map { state.idle.remove(at: $0) }
        }
        if removed != nil { logger.debug("A timeline was freed: its conversation has ended.") }
    }

    private func take(for owner: ConversationID) throws -> any TokenTimeline {
        let found = state.withLock { state -> Idle? in
            state.busyCount += 1
            if let index = state.idle.firstIndex(where: { $0.owner == owner }) { return state.idle.remove(at: index) }
            let isFull = state.idle.count + state.busyCount > limit
            return isFull && !state.idle.isEmpty ? state.idle.removeFirst() : nil
        }
        if let found {
            if found.owner != owner {
                logger.debug("A timeline was taken over from the conversation that was used least recently.")
            }
            return found.timeline
        }
        do {
            let timeline = try model.makeTimeline(capacity: capacity)
            logger.debug("A timeline was made.", metadata: ["tokens": "\(capacity)"])
            return timeline
        } catch {
            // Another conversation's idle timeline can be used instead.
            if let idle = state.withLock({ $0.idle.isEmpty ? nil : $0.idle.removeFirst() }) {
                logger.notice("There is no memory for a timeline; another conversation's was taken over.")
                return idle.timeline
            }
            state.withLock { $0.busyCount -= 1 }
            throw error
        }
    }

    private func giveBack(_ timeline: any TokenTimeline, _ owner: ConversationID) {
        let dropped = state.withLock { state in
            state.busyCount -= 1
            var dropped = state.idle.filter { $0.owner == owner }
            state.idle.removeAll { $0.owner == owner }
            state.idle.append(Idle(owner: owner, timeline: timeline))
            let excess = max(state.idle.count - limit, 0)
            dropped += state.idle.prefix(excess)
            state.idle.removeFirst(excess)
            return dropped
        }
        if !dropped.isEmpty {
            logger.debug("Timelines were freed: more are kept than may be.", metadata: ["count": "\(dropped.count)"])
        }
    }
}
