// SPDX-License-Identifier: Apache-2.0

package import Logging
package import ParleyConversation
package import ParleyRuntime
import Synchronization

/// The timelines of a model. Each conversation keeps its own, so that only the new tokens of a turn have to be
/// processed, and copies from others what they have in common; a `TimelineTable` has the rules.
package final class TimelinePool: Sendable {
    private struct Waiter {
        var timeline: Int
        /// How many positions the timeline has to have read.
        var count: Int
        var deadline: ContinuousClock.Instant?
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var table: TimelineTable
        /// All timelines that exist, by their number in the table.
        var timelines: [Int: any TokenTimeline] = [:]
        var waiters: [Int: Waiter] = [:]
        var asked = 0

        /// Removes timelines that the table no longer has.
        mutating func take(
            _ numbers: [(timeline: Int, owner: ConversationID)]
        ) -> [(any TokenTimeline, ConversationID)] {
            numbers.compactMap { number, owner in timelines.removeValue(forKey: number).map { ($0, owner) } }
        }
    }

    /// No other lock is taken while this one is held: timelines are created, freed and copied after its release.
    private let state: Mutex<State>
    private let model: any TokenModel
    private let capacity: Int
    private let kept: KeptTimelines?
    private let logger: Logger

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - capacity: the most positions of each timeline.
    ///   - limit: the number of timelines to keep; more are created only for generations that run at the same time.
    ///   - logger: records when timelines are created and freed, and why.
    package convenience init(model: any TokenModel, capacity: Int, limit: Int, logger: Logger) {
        self.init(model: model, capacity: capacity, limit: limit, kept: nil, logger: logger)
    }

    /// Creates an empty pool, whose timelines are kept in files when they are freed if `kept` is not nil.
    init(model: any TokenModel, capacity: Int, limit: Int, kept: KeptTimelines?, logger: Logger) {
        self.model = model
        self.capacity = capacity
        state = Mutex(State(table: TimelineTable(limit: limit, shares: model.adoptsPrefixes)))
        self.kept = kept
        self.logger = logger
    }

    /// The number of generations that wait for another to read what they have in common.
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// The number of timelines that are kept for their conversation's next turn.
    var idleCount: Int { state.withLock { $0.table.idleCount } }

    /// Runs a generation of a conversation on a timeline, which then holds as much of the prompt as is known.
    ///
    /// - Parameters:
    ///   - owner: the conversation.
    ///   - scope: the name of those who may share what has been read.
    ///   - prompt: the prompt of the generation.
    ///   - deadline: the time from which the generation waits for nothing; nil for no limit.
    ///   - body: the generation; it reports with the second argument how much of the prompt has been read.
    /// - Returns: the result of the generation.
    /// - Throws: `RuntimeError` if there is not enough memory for a timeline; `CancellationError` if the task is cancelled
    ///   before the generation begins; any error of `body`.
    package func withTimeline<Value>(
        for owner: ConversationID, scope: String = "", prompt: ModelInput, deadline: ContinuousClock.Instant? = nil,
        _ body: (any TokenTimeline, @escaping @Sendable (Int) -> Void) async throws -> Value
    ) async throws -> Value {
        var demand = TimelineTable.Demand(owner: owner, scope: scope, prompt: prompt)
        let grant = try await grant(&demand, deadline)
        let (timeline, taken) = try take(grant, for: demand)
        let number = taken.timeline
        defer { giveBack(number, timeline) }
        if let kept, taken.isNew || taken.formerOwner != nil {
            if let former = taken.formerOwner {
                kept.keep(timeline, of: former)
                await kept.settle()
            }
            if taken.forgets { timeline.rewind(to: 0) }
            await kept.restore(timeline, of: owner, for: prompt)
        } else if taken.forgets {
            timeline.rewind(to: 0)
        }
        if let donor = taken.donor.flatMap({ donor in state.withLock { $0.timelines[donor] } }) {
            let began = ContinuousClock.now
            let count = try await timeline.adopt(prefix: prompt, of: donor)
            logger.debug(
                "The beginning of a prompt was copied from another conversation.",
                metadata: ["tokens": "\(count)", "seconds": "\((ContinuousClock.now - began) / .seconds(1))"])
        }
        reached(timeline.contents.commonPrefix(with: prompt), by: number)
        return try await body(timeline) { [weak self] count in self?.reached(count, by: number) }
    }

    /// Frees the timeline of a conversation.
    func remove(_ owner: ConversationID) {
        for (timeline, owner) in removeIdle(of: owner) {
            kept?.keep(timeline, of: owner)
            logger.debug("A timeline was freed: its conversation has ended.")
        }
    }

    /// Frees all timelines that are not in use, and returns when those that are to be kept are in their files.
    func removeAll() async {
        let removed = removeIdle(of: nil)
        guard let kept else { return }
        for (timeline, owner) in removed { kept.keep(timeline, of: owner) }
        await kept.settle()
    }

    private func removeIdle(of owner: ConversationID?) -> [(any TokenTimeline, ConversationID)] {
        state.withLock { state in state.take(state.table.removeIdle(of: owner)) }
    }

    // MARK: Choosing

    /// Waits until it is known which timeline a generation gets.
    private func grant(
        _ demand: inout TimelineTable.Demand, _ deadline: ContinuousClock.Instant?
    ) async throws -> TimelineTable.Grant {
        while true {
            try Task.checkCancellation()
            demand.mayWait = deadline.map { ContinuousClock.now < $0 } ?? true
            switch state.withLock({ [demand] in $0.table.choose(demand) }) {
            case .use(let grant): return grant
            case .wait(let timeline, let count): try await wait(for: timeline, until: count, deadline)
            }
        }
    }

    /// Waits until a timeline has read so many positions, or is no longer in use, or the deadline has passed when it has
    /// read more.
    private func wait(for timeline: Int, until count: Int, _ deadline: ContinuousClock.Instant?) async throws {
        let number = state.withLock { state in
            state.asked += 1
            return state.asked
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled, let read = state.table.progress(of: timeline), read < count else {
                        return true
                    }
                    state.waiters[number] = Waiter(
                        timeline: timeline, count: count, deadline: deadline, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation
                .resume(throwing: CancellationError())
        }
    }

    /// Records how much of its prompt a timeline has read, and wakes those who wait for it.
    private func reached(_ count: Int, by timeline: Int) {
        wake { state in
            state.table.advance(timeline, to: count)
            let now = ContinuousClock.now
            return state.waiters.filter {
                $0.value.timeline == timeline
                    && ($0.value.count <= count || $0.value.deadline.map { $0 <= now } ?? false)
            }
        }
    }

    private func wake(_ chosen: (inout State) -> [Int: Waiter]) {
        let woken = state.withLock { state in
            let woken = chosen(&state)
            for number in woken.keys { state.waiters[number] = nil }
            return woken
        }
        // In the order in which they began to wait.
        for number in woken.keys.sorted() { woken[number]?.continuation.resume() }
    }

    // MARK: Taking and giving back

    private func take(
        _ grant: TimelineTable.Grant, for demand: TimelineTable.Demand
    ) throws -> (any TokenTimeline, TimelineTable.Grant) {
        if !grant.isNew, let timeline = state.withLock({ $0.timelines[grant.timeline] }) {
            if grant.formerOwner != nil { logger.debug("A timeline was taken over from another conversation.") }
            return (timeline, grant)
        }
        do {
            let timeline = try model.makeTimeline(capacity: capacity)
            state.withLock { $0.timelines[grant.timeline] = timeline }
            logger.debug("A timeline was made.", metadata: ["tokens": "\(capacity)"])
            return (timeline, grant)
        } catch {
            // Another conversation's idle timeline can be used instead.
            let found = state.withLock { state in
                state.table.replace(grant.timeline, for: demand).flatMap { grant in
                    state.timelines[grant.timeline].map { ($0, grant) }
                }
            }
            wakeWaiters(for: grant.timeline)
            guard let found else { throw error }
            logger.notice("There is no memory for a timeline; another conversation's was taken over.")
            return found
        }
    }

    private func giveBack(_ number: Int, _ timeline: any TokenTimeline) {
        let contents = timeline.contents
        let (dropped, owner) = state.withLock { state in
            let owner = state.table.owner(of: number)
            return (state.take(state.table.end(number, holding: contents)), owner)
        }
        wakeWaiters(for: number)
        for (timeline, former) in dropped where former != owner { kept?.keep(timeline, of: former) }
        if !dropped.isEmpty {
            logger.debug("Timelines were freed: more are kept than may be.", metadata: ["count": "\(dropped.count)"])
        }
    }

    private func wakeWaiters(for timeline: Int) {
        wake { state in state.waiters.filter { $0.value.timeline == timeline } }
    }
}
