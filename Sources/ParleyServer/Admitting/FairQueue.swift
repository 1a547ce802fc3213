// SPDX-License-Identifier: Apache-2.0

/// Decides which requests for a model run and which wait, as a pure state machine: at most so many run, at most so many
/// wait, and clients take turns.
///
/// The turns are those of deficit round robin: each client in turn is given a quantum of tokens, and its oldest requests
/// run as far as what it has been given pays for them. A client with many or long requests therefore delays others by no
/// more than a turn.
///
/// Nobody waits while there is room: whatever makes room starts those that wait, as long as there is any.
package struct FairQueue: Sendable {
    /// A request: the number under which it arrived.
    package typealias Ticket = Int

    /// What becomes of a request that arrives.
    package enum Arrival: Hashable, Sendable {
        /// It may run.
        case runs
        /// It waits; ``FairQueue/leave(_:)`` of another tells when it may run.
        case waits
        /// Too many wait.
        case refused
    }

    private struct Waiting {
        var ticket: Ticket
        var cost: Int
        var since: ContinuousClock.Instant
    }

    private struct Line {
        var waiting: [Waiting] = []
        var deficit = 0

        /// What the oldest request costs more than has been given.
        var missing: Int { waiting[0].cost - deficit }
    }

    /// How many requests may run at a time.
    package let parallel: Int
    /// How many requests may wait.
    package let capacity: Int
    /// How long a request may wait.
    package let patience: Duration
    /// How many tokens a client is given in a turn.
    private let quantum: Int

    package private(set) var running: Set<Ticket> = []
    private var lines: [String: Line] = [:]
    /// The clients that have requests waiting, in the order of their turns.
    private var turns: [String] = []
    package private(set) var waitingCount = 0

    package init(parallel: Int, capacity: Int, patience: Duration, quantum: Int = 1_024) {
        self.parallel = max(parallel, 1)
        self.capacity = max(capacity, 0)
        self.patience = patience
        self.quantum = max(quantum, 1)
    }

    /// A request arrives.
    ///
    /// - Parameters:
    ///   - ticket: its number, which no other has.
    ///   - client: who sent it.
    ///   - cost: about how many tokens it will use.
    ///   - now: the time.
    /// - Returns: what becomes of it.
    package mutating func arrive(_ ticket: Ticket, of client: String, cost: Int, now: ContinuousClock.Instant)
        -> Arrival
    {
        if join(ticket) { return .runs }
        guard waitingCount < capacity else { return .refused }
        if lines[client] == nil { turns.append(client) }
        // A cost without bound would let the sum overflow.
        let cost = min(max(cost, 1), 1 << 30)
        lines[client, default: Line()].waiting.append(Waiting(ticket: ticket, cost: cost, since: now))
        waitingCount += 1
        return .waits
    }

    /// Another reply to a request that runs wants to run beside it; it may if there is room that nobody waits for.
    package mutating func join(_ ticket: Ticket) -> Bool {
        guard running.count < parallel else { return false }
        running.insert(ticket)
        return true
    }

    /// A request has ended, or is not wanted any more.
    ///
    /// - Returns: the requests that may run now, in order.
    package mutating func leave(_ ticket: Ticket) -> [Ticket] {
        if running.remove(ticket) == nil { withdraw { $0.ticket == ticket } }
        return start()
    }

    /// Removes the requests that have waited for too long.
    ///
    /// - Returns: the removed requests.
    package mutating func expire(now: ContinuousClock.Instant) -> [Ticket] {
        let patience = patience
        return withdraw { $0.since.duration(to: now) >= patience }
    }

    /// How long the request that has waited longest has waited; nil if none waits.
    package func longestWait(now: ContinuousClock.Instant) -> Duration? {
        lines.values.compactMap { $0.waiting.first?.since }.min()?.duration(to: now)
    }

    @discardableResult
    private mutating func withdraw(_ isMeant: (Waiting) -> Bool) -> [Ticket] {
        var removed: [Ticket] = []
        for client in turns {
            guard var line = lines[client] else { continue }
            removed += line.waiting.filter(isMeant).map(\.ticket)
            line.waiting.removeAll(where: isMeant)
            lines[client] = line.waiting.isEmpty ? nil : line
        }
        turns.removeAll { lines[$0] == nil }
        waitingCount -= removed.count
        return removed
    }

    private mutating func start() -> [Ticket] {
        var started: [Ticket] = []
        while running.count < parallel, !turns.isEmpty {
            // The rounds in which nobody's oldest request is paid for are given at once.
            let rounds = lines.values.map { ($0.missing + quantum - 1) / quantum }.min() ?? 0
            if rounds > 0 { for client in turns { lines[client]?.deficit += rounds * quantum } }
            while let client = turns.first, let line = lines[client], line.missing > 0 {
                lines[client]?.deficit += quantum
                turns.append(turns.removeFirst())
            }
            guard let client = turns.first, var line = lines[client] else { break }
            let next = line.waiting.removeFirst()
            line.deficit -= next.cost
            waitingCount -= 1
            running.insert(next.ticket)
            started.append(next.ticket)
            lines[client] = line.waiting.isEmpty ? nil : line
            if line.waiting.isEmpty { turns.removeFirst() }
        }
        return started
    }
}
