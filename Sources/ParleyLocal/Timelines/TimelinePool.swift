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
    private let kept: KeptTimelines?
    private let logger: Logger

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - capacity: the most positions of each timeline.
    ///   - limit: the number of timelines to keep; more are created only for generations that run at the same time.
    ///   - kept: keeps timelines in files when they are freed; nil if they are not to be kept.
    ///   - logger: records when timelines are created and freed, and why.
    init(model: any TokenModel, capacity: Int, limit: Int, kept: KeptTimelines? = nil, logger: Logger) {
        self.model = model
        self.capacity = capacity
        self.limit = max(limit, 1)
        self.kept = kept
        self.logger = logger
    }

    /// The number of timelines that are kept for their conversation's next turn.
    var idleCount: Int { state.withLock { $0.idle.count } }

    /// Runs a generation of a conversation on a timeline.
    ///
    /// - Parameters:
    ///   - owner: the conversation.
    ///   - prompt: the prompt of the generation, which decides whether what is kept of the conversation in a file is of
    ///     use.
    ///   - body: the generation.
    /// - Returns: the result of the generation.
    /// - Throws: `RuntimeError` if there is not enough memory for a timeline, and any error of `body`.
    func withTimeline<Value>(
        for owner: ConversationID, prompt: ModelInput, _ body: (any TokenTimeline) async throws -> Value
    ) async throws -> Value {
        let (timeline, formerOwner) = try take(for: owner)
        defer { giveBack(timeline, owner) }
        if let kept, formerOwner != owner {
            if let formerOwner {
                kept.keep(timeline, of: formerOwner)
                await kept.settle()
            }
            await kept.restore(timeline, of: owner, for: prompt)
        }
        return try await body(timeline)
    }

    /// Frees the timeline of a conversation.
    func remove(_ owner: ConversationID) {
        let removed = state.withLock { state in
            let index = state.idle.firstIndex { $0.owner == owner }
            return index.map { state.idle.remove(at: $0) }
        }
        guard let removed else { return }
        kept?.keep(removed.timeline, of: owner)
        logger.debug("A timeline was freed: its conversation has ended.")
    }

    /// Frees all timelines that are not in use, and returns when those that are to be kept are in their files.
    func removeAll() async {
        let removed = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        guard let kept else { return }
        for idle in removed { kept.keep(idle.timeline, of: idle.owner) }
        await kept.settle()
    }

    /// A timeline, and the conversation that used it before; nil for a new one.
    private func take(for owner: ConversationID) throws -> (any TokenTimeline, ConversationID?) {
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
            return (found.timeline, found.owner)
        }
        do {
            let timeline = try model.makeTimeline(capacity: capacity)
            logger.debug("A timeline was made.", metadata: ["tokens": "\(capacity)"])
            return (timeline, nil)
        } catch {
            // Another conversation's idle timeline can be used instead.
            if let idle = state.withLock({ $0.idle.isEmpty ? nil : $0.idle.removeFirst() }) {
                logger.notice("There is no memory for a timeline; another conversation's was taken over.")
                return (idle.timeline, idle.owner)
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
        for idle in dropped where idle.owner != owner { kept?.keep(idle.timeline, of: idle.owner) }
        if !dropped.isEmpty {
            logger.debug("Timelines were freed: more are kept than may be.", metadata: ["count": "\(dropped.count)"])
        }
    }
}
