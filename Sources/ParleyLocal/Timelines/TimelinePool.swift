// SPDX-License-Identifier: Apache-2.0

package import Logging
package import ParleyConversation
package import ParleyRuntime
import Synchronization

/// The timelines of a model. Each conversation keeps its own, so that only the new tokens of a turn have to be
/// processed, and copies from others what they have in common; a `TimelineTable` has the rules. A `CacheLedger` decides
/// which generations fit beside each other into memory.
package final class TimelinePool: Sendable {
    /// The number of tokens for which a reply without a limit reserves memory, and by how many it is extended.
    package static let (usualReply, moreReply) = (1_024, 256)
    /// A step may run so many tokens more than the reply has.
    static let margin = Generation.longestGuess + 1

    /// No other lock is taken while this one is held: timelines are created, freed and copied after its release.
    private let state: Mutex<TimelineBook>
    private let model: any TokenModel
    private let capacity: Int
    /// The number of positions of all timelines together; nil for no limit.
    private let positions: Int?
    private let kept: KeptTimelines?
    private let logger: Logger

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - capacity: the most positions of each timeline.
    ///   - limit: the number of timelines to keep; more are created only for generations that run at the same time.
    ///   - positions: the number of positions of all timelines together; nil for no limit.
    ///   - logger: records when timelines are created and freed, and why.
    package convenience init(
        model: any TokenModel, capacity: Int, limit: Int, positions: Int? = nil, logger: Logger
    ) {
        self.init(model: model, capacity: capacity, limit: limit, positions: positions, kept: nil, logger: logger)
    }

    /// Creates an empty pool, whose timelines are kept in files when they are freed if `kept` is not nil.
    init(
        model: any TokenModel, capacity: Int, limit: Int, positions: Int?, kept: KeptTimelines?, logger: Logger
    ) {
        self.model = model
        self.capacity = capacity
        self.positions = positions
        state = Mutex(
            TimelineBook(
                table: TimelineTable(limit: limit, shares: model.adoptsPrefixes),
                ledger: CacheLedger(limit: positions)))
        self.kept = kept
        self.logger = logger
    }

    /// The number of generations that wait for memory, or for another to read what they have in common.
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// The number of timelines that are kept for their conversation's next turn.
    var idleCount: Int { state.withLock { $0.table.idleCount } }

    /// The memory that the timelines use and have reserved.
    package var use: CacheUse {
        state.withLock { state in
            CacheUse(
                sequences: state.timelines.count, idleSequences: state.table.idleCount,
                tokens: state.leases.values.reduce(state.table.idleTokens) { $0 + $1.position },
                reservedTokens: state.ledger.reserved, limit: state.ledger.limit,
                bytesPerToken: model.cacheBytesPerToken, setBacks: state.ledger.setBackCount)
        }
    }

    /// Runs a generation of a conversation on a timeline, which then holds as much of the prompt as is known.
    ///
    /// - Parameters:
    ///   - owner: the conversation.
    ///   - scope: the name of those who may share what has been read.
    ///   - prompt: the prompt of the generation.
    ///   - reply: the most tokens that follow; nil if that is not known.
    ///   - deadline: the time from which the generation waits for nothing, also while it runs; nil for no limit.
    ///   - waiting: called with the generation's place, counted from 1, each time that it begins to wait for memory.
    ///   - body: the generation.
    /// - Returns: the result of the generation.
    /// - Throws: `RuntimeError` with code `invalidInput` if the cache never has room for the prompt and its reply, and with
    ///   code `insufficientMemory` if there is not enough memory for a timeline; ``PromptDeadlinePassed`` if there was none
    ///   until the deadline; `CancellationError` if the task is cancelled before the generation begins; any error of
    ///   `body`.
    package func withTimeline<Value>(
        for owner: ConversationID, scope: String = "", prompt: ModelInput, reply: Int? = nil,
        deadline: ContinuousClock.Instant? = nil, waiting: (Int) -> Void = { _ in },
        _ body: (TimelineLease) async throws -> Value
    ) async throws -> Value {
        var demand = TimelineTable.Demand(owner: owner, scope: scope, prompt: prompt)
        let (lease, grant, donor) = try await lease(&demand, reply, deadline, waiting)
        defer { giveBack(lease, owner) }
        let timeline = lease.timeline
        if grant.isNew || grant.formerOwner != nil, let kept {
            if let former = grant.formerOwner {
                kept.keep(timeline, of: former)
                await kept.settle()
            }
            if grant.forgets { timeline.rewind(to: 0) }
            await kept.restore(timeline, of: owner, for: prompt)
        } else if grant.forgets {
            timeline.rewind(to: 0)
        }
        if let donor { try await adopt(prompt, from: donor, on: timeline) }
        lease.reached(timeline.contents.commonPrefix(with: prompt))
        return try await body(lease)
    }

    private func adopt(_ prompt: ModelInput, from donor: any TokenTimeline, on timeline: any TokenTimeline) async throws
    {
        let began = ContinuousClock.now
        let count = try await timeline.adopt(prefix: prompt, of: donor)
        logger.debug(
            "The beginning of a prompt was copied from another conversation.",
            metadata: ["tokens": "\(count)", "seconds": "\((ContinuousClock.now - began) / .seconds(1))"])
    }

    /// Frees the timeline of a conversation.
    func remove(_ owner: ConversationID) {
        let removed = removeIdle(of: owner)
        keep(removed)
        if !removed.isEmpty { logger.debug("A timeline was freed: its conversation has ended.") }
    }

    /// Frees all timelines that are not in use, and returns when those that are to be kept are in their files.
    func removeAll() async {
        keep(removeIdle(of: nil))
        await kept?.settle()
    }

    private func removeIdle(of owner: ConversationID?) -> [TimelineBook.Freed] {
        let removed = state.withLock { book in book.take(book.table.removeIdle(of: owner)) }
        if !removed.isEmpty { wakeForMemory() }
        return removed
    }

    private func keep(_ freed: [TimelineBook.Freed], but owner: ConversationID? = nil) {
        for (timeline, former) in freed where former != owner { kept?.keep(timeline, of: former) }
    }

    // MARK: Choosing

    /// Waits until there is a timeline and memory for a generation.
    private func lease(
        _ demand: inout TimelineTable.Demand, _ reply: Int?, _ deadline: ContinuousClock.Instant?,
        _ waiting: (Int) -> Void
    ) async throws -> (TimelineLease, TimelineTable.Grant, donor: (any TokenTimeline)?) {
        // The limit of a reply comes from outside.
        let most = min(reply ?? Self.usualReply, ContextBudget.longest) + Self.margin
        var count = min(demand.prompt.count + most, capacity)
        let (age, limit) = state.withLock { ($0.ask(), $0.ledger.limit) }
        // Without a limit of its own a reply has what there is.
        if reply == nil, let limit { count = min(count, max(limit, demand.prompt.count + 1 + Self.margin)) }
        do {
            while true {
                try Task.checkCancellation()
                let isLate = deadline.map { ContinuousClock.now >= $0 } ?? false
                demand.mayWait = !isLate
                switch update({ $0.step(demand, count, age) }) {
                case .use(let grant, let donor, let freed):
                    keep(freed)
                    switch try take(grant, for: demand, count, age, donor, deadline) {
                    case .lease(let lease, let grant, let donor): return (lease, grant, donor)
                    case .wait where isLate: throw PromptDeadlinePassed()
                    case .wait(let reason):
                        waiting(state.withLock { $0.ledger.place(age: age) })
                        try await wait(for: reason, until: deadline)
                    }
                case .wait(.memory) where isLate: throw PromptDeadlinePassed()
                case .wait(let reason):
                    if case .memory = reason { waiting(state.withLock { $0.ledger.place(age: age) }) }
                    try await wait(for: reason, until: deadline)
                case .refuse: throw Self.tooLong(demand.prompt.count, limit: limit ?? 0)
                }
            }
        } catch {
            state.withLock { $0.ledger.withdraw(age: age) }
            wakeForMemory()
            throw error
        }
    }

    /// The error for a prompt that does not fit with its reply into a cache of so many positions, however long one waits.
    private static func tooLong(_ prompt: Int, limit: Int) -> RuntimeError {
        let room = max(limit - margin, 0)
        let remedy =
            room > prompt
            ? "Ask for a reply of at most \(room - prompt) tokens, shorten the prompt, or allow the cache more memory."
            : "Shorten the prompt, or allow the cache more memory."
        return RuntimeError(
            .invalidInput,
            "The prompt has \(prompt) tokens, and the cache has room for \(room) with those of the reply. \(remedy)")
    }

    // MARK: Waiting

    private func wait(for reason: TimelineBook.Reason, until deadline: ContinuousClock.Instant?) async throws {
        let number = state.withLock { $0.wait() }
        async let _: Void = wake(number, at: deadline)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWaiting = state.withLock { book in
                    // Whoever wakes at the deadline may have found nobody yet.
                    let isLate = deadline.map { ContinuousClock.now >= $0 } ?? false
                    return !Task.isCancelled && !isLate && book.wait(number, for: reason, with: continuation)
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation
                .resume(throwing: CancellationError())
        }
    }

    private func wake(_ number: Int, at deadline: ContinuousClock.Instant?) async {
        guard let deadline else { return }
        try? await Task.sleep(until: deadline, clock: .continuous)
        state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
    }

    /// Changes the state, and wakes those whose wait is over by it, in the order in which they began to wait.
    private func update<Value: Sendable>(_ change: (inout TimelineBook) -> Value) -> Value {
        let (value, woken) = state.withLock { book in
            let value = change(&book)
            return (value, book.takeWoken())
        }
        for continuation in woken { continuation.resume() }
        return value
    }

    private func wakeForMemory() { update { $0.releases += 1 } }

    /// Records how much of its prompt a timeline has read.
    func reached(_ count: Int, by lease: TimelineLease) {
        update { $0.table.advance(lease.number, to: count) }
    }

    // MARK: Taking and giving back

    private enum Taken {
        case lease(TimelineLease, TimelineTable.Grant, donor: (any TokenTimeline)?)
        /// There is no memory for a timeline until another is given back.
        case wait(TimelineBook.Reason)
    }

    private func take(
        _ grant: TimelineTable.Grant, for demand: TimelineTable.Demand, _ count: Int, _ age: Int,
        _ donor: (any TokenTimeline)?, _ deadline: ContinuousClock.Instant?
    ) throws -> Taken {
        var grant = grant
        let timeline: any TokenTimeline
        if !grant.isNew, let own = state.withLock({ $0.timelines[grant.timeline] }) {
            if grant.formerOwner != nil { logger.debug("A timeline was taken over from another conversation.") }
            timeline = own
        } else {
            do {
                timeline = try model.makeTimeline(capacity: capacity)
                state.withLock { [grant] in $0.timelines[grant.timeline] = timeline }
                logger.debug("A timeline was made.", metadata: ["tokens": "\(capacity)"])
            } catch {
                let mayWait = (error as? RuntimeError)?.code == .insufficientMemory
                // Another conversation's idle timeline can be used instead, now or when one has ended.
                let (found, reason) = update { [grant] in $0.replace(grant, for: demand, age, mayWait: mayWait) }
                if let reason { return .wait(reason) }
                guard let found else { throw error }
                logger.notice("There is no memory for a timeline; another conversation's was taken over.")
                (timeline, grant) = found
            }
        }
        let lease = TimelineLease(
            timeline, number: grant.timeline, age: age, prompt: demand.prompt, reserved: count, until: deadline,
            in: self)
        state.withLock { $0.leases[lease.number] = lease }
        return .lease(lease, grant, donor: donor)
    }

    private func giveBack(_ lease: TimelineLease, _ owner: ConversationID) {
        let contents = lease.timeline.contents
        let dropped = update { $0.end(lease, holding: contents) }
        keep(dropped, but: owner)
        if !dropped.isEmpty {
            logger.debug("Timelines were freed: more are kept than may be.", metadata: ["count": "\(dropped.count)"])
        }
    }

    // MARK: More room

    /// An answer to a reply that needs more room.
    enum Room {
        /// The reply may go on to a position.
        case granted(Int)
        /// There is no more memory than the reply has.
        case full
        /// The reply has to give back what it has.
        case setBack
    }

    /// Reserves more positions for a reply that has come to a position, and waits for a younger one that gives its own
    /// back.
    ///
    /// - Throws: `CancellationError`; ``PromptDeadlinePassed`` if the reply's time is over.
    func extend(_ lease: TimelineLease, from position: Int) async throws -> Room {
        let count = more(than: position)
        while true {
            try checkTime(of: lease)
            let (answer, freed, releases) = update { $0.extend(lease, to: count) }
            keep(freed)
            switch answer {
            case .granted: return .granted(count)
            case .refused: return .full
            case .setsBack(lease.number): return .setBack
            default: try await wait(for: .memory(releases: releases), until: lease.deadline)
            }
        }
    }

    private func checkTime(of lease: TimelineLease) throws {
        try Task.checkCancellation()
        if let deadline = lease.deadline, ContinuousClock.now >= deadline { throw PromptDeadlinePassed() }
    }

    /// How many positions a generation reserves that has come to a position: all there are where these are fewer than it
    /// would have.
    private func more(than position: Int) -> Int {
        let count = min(position + Self.moreReply + Self.margin, capacity)
        return positions.map { min(count, max($0, position + 1 + Self.margin)) } ?? count
    }

    /// Whether a reply has to give back what it has.
    func mustLeave(_ lease: TimelineLease) -> Bool { state.withLock { $0.ledger.mustLeave(lease.number) } }

    /// Waits until there is memory again for a reply that has given its own back.
    ///
    /// - Parameters:
    ///   - lease: the timeline, which is empty, and afterwards has what could be copied from others.
    ///   - input: what it held.
    /// - Returns: the position to which the reply may go on; nil if there is never so much memory.
    /// - Throws: `CancellationError`; ``PromptDeadlinePassed`` if the reply's time is over.
    func readmit(_ lease: TimelineLease, holding input: ModelInput) async throws -> Int? {
        logger.debug("A reply was set back for lack of memory.", metadata: ["tokens": "\(input.count)"])
        // It may not have read all of its prompt yet, which others then wait for once more.
        let whole = input.count < lease.prompt.count ? lease.prompt : input
        let count = more(than: whole.count)
        update { $0.setBack(lease) }
        while true {
            try checkTime(of: lease)
            let step = update { $0.readmit(lease, count, reading: whole) }
            switch step {
            case .refuse: return nil
            case .wait(let reason): try await wait(for: reason, until: lease.deadline)
            case .use(_, let donor, let freed):
                keep(freed)
                if let donor { try await adopt(input, from: donor, on: lease.timeline) }
                return count
            }
        }
    }
}
