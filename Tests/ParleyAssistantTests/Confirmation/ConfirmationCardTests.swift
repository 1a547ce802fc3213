// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Confirmation of actions")
struct ConfirmationCardTests {
    typealias Card = ConfirmationCard<String>
    typealias Edit = Change<String>

    /// A store of texts, with what is done to it by the book.
    struct Store: Hashable {
        var records: Set<String>
        var log: [LogEntry<String>] = []

        mutating func write(_ change: Edit) {
            if let before = change.before { records.remove(before) }
            if let after = change.after { records.insert(after) }
        }
    }

    /// Runs an event and all that follows from it, with writes that end as `outcome` says.
    static func run(
        _ card: inout Card, _ store: inout Store, _ event: Card.Event,
        outcome: (Int, Edit) -> Card.Outcome = { _, _ in .done }
    ) {
        var effects = card.handle(event)
        while !effects.isEmpty {
            let effect = effects.removeFirst()
            switch effect {
            case .log(let entries): store.log += entries
            case .write(let changes):
                var outcomes: [Card.Outcome] = []
                for (index, change) in changes.enumerated() {
                    let isThere = change.before.map { store.records.contains($0) } ?? true
                    let result = isThere ? outcome(index, change) : .gone
                    if result == .done { store.write(change) }
                    outcomes.append(result)
                }
                effects += card.handle(.wrote(outcomes))
            }
        }
    }

    static func card(_ changes: [Edit], conflicts: [String] = [], movesTime: Bool = false) throws -> Card {
        try #require(Card(changes, conflicts: conflicts, movesTime: movesTime))
    }

    @Test("A new event is made, and taken back, and the whole of it comes back")
    func creation() throws {
        var card = try Self.card([Edit(before: nil, after: "tea")])
        var store = Store(records: [])
        let steps: [(Card.Event, Card.State, Set<String>)] = [
            (.undo, .pendingCreation, []), (.confirm, .created, ["tea"]), (.confirm, .created, ["tea"]),
            (.undo, .deleted, []), (.undo, .restored, ["tea"]), (.undo, .restored, ["tea"]),
        ]
        for (event, state, records) in steps {
            Self.run(&card, &store, event)
            #expect(card.state == state && store.records == records)
        }
        #expect(store.log.map(\.reason) == [.action, .undo, .undo])
    }

    @Test("A deletion waits, is done, and brings back every byte when undone")
    func deletion() throws {
        var card = try Self.card([Edit(before: "tea", after: nil)])
        var store = Store(records: ["tea"])
        Self.run(&card, &store, .confirm)
        #expect(card.state == .deleted && store.records.isEmpty)
        Self.run(&card, &store, .undo)
        #expect(card.state == .restored && store.records == ["tea"])
        card = try Self.card([Edit(before: "tea", after: nil)])
        Self.run(&card, &store, .cancel)
        #expect(card.state == .deletionCancelled && store.records == ["tea"])
    }

    @Test("An update is one of the time or not; what is gone meanwhile cancels it with a reason")
    func update() throws {
        let edit = Edit(before: "tea at 3", after: "tea at 4")
        for movesTime in [false, true] {
            var card = try Self.card([edit], movesTime: movesTime)
            var store = Store(records: ["tea at 3"])
            Self.run(&card, &store, .confirm)
            #expect(card.state == (movesTime ? .rescheduled : .updated) && store.records == ["tea at 4"])
            Self.run(&card, &store, .undo)
            #expect(card.state == .restored && store.records == ["tea at 3"])
        }
        var card = try Self.card([edit])
        var store = Store(records: [])
        Self.run(&card, &store, .confirm)
        #expect(card.state == .updateCancelled && card.failures.count == 1 && store.log.isEmpty)
    }

    @Test("A conflict is kept, cancelled or moved to a free time")
    func conflicts() throws {
        let cases: [(Card.Event, Card.State, Set<String>)] = [
            (.keepConflict, .created, ["tea"]), (.cancelConflict, .deleted, []),
            (.reschedule("tea later"), .rescheduled, ["tea later"]),
        ]
        for (event, state, records) in cases {
            var card = try Self.card([Edit(before: nil, after: "tea")], conflicts: ["lunch"])
            var store = Store(records: [])
            Self.run(&card, &store, .confirm)
            #expect(card.conflicts == ["lunch"])
            Self.run(&card, &store, event)
            #expect(card.state == state && card.conflicts.isEmpty && store.records == records)
            Self.run(&card, &store, .cancelConflict)
            #expect(card.state == state, "No conflict is left to cancel.")
        }
    }

    @Test(
        "Undoing a move leads back into the conflict, with all that could be chosen there", arguments: [nil, "old tea"])
    func undoneMove(before: String?) throws {
        var card = try Self.card([Edit(before: before, after: "tea")], conflicts: ["lunch"])
        let start = Set([before].compactMap(\.self))
        var store = Store(records: start)
        Self.run(&card, &store, .confirm)
        let inConflict = card
        for _ in 0..<2 {
            Self.run(&card, &store, .reschedule("tea later"))
            #expect(card.state == .rescheduled && store.records == ["tea later"])
            // A card that was kept meanwhile knows the way back too.
            card = try JSONDecoder().decode(Card.self, from: JSONEncoder().encode(card))
            Self.run(&card, &store, .undo)
            #expect(card == inConflict && store.records == ["tea"])
        }
        Self.run(&card, &store, .cancelConflict)
        #expect(card.state == (before == nil ? .deleted : .restored) && store.records == start)
    }

    @Test("Of a bulk all or none is done, and what failed is named")
    func bulk() throws {
        let edits = ["a", "b", "c"].map { Edit(before: $0, after: nil) }
        var card = try Self.card(edits)
        var store = Store(records: ["a", "b", "c"])
        Self.run(&card, &store, .confirm) { _, change in change.before == "b" ? .failed("locked") : .done }
        #expect(card.state == .pendingDeletion && store.records == ["a", "b", "c"])
        #expect(card.failures.map(\.change) == [edits[1]] && card.failures.map(\.reason) == ["locked"])
        #expect(store.log.map(\.reason) == [.action, .action, .rollback, .rollback])
        Self.run(&card, &store, .confirm)
        #expect(card.state == .deleted && store.records.isEmpty && card.failures.isEmpty)
        // What was done last is taken back first, for a later change may need an earlier one.
        let effects = card.handle(.undo)
        #expect(effects == [.write(edits.reversed().map(\.inverse))])
    }

    @Test("What cannot be taken back is told, and taken back later")
    func incomplete() throws {
        var card = try Self.card(["a", "b", "c"].map { Edit(before: $0, after: nil) })
        var store = Store(records: ["a", "b", "c"])
        Self.run(&card, &store, .confirm) { _, change in
            change.before == "b" || change.after == "a" ? .failed("full") : .done
        }
        #expect(card.state == .incomplete && store.records == ["b", "c"])
        #expect(card.changes == [Edit(before: "a", after: nil)] && card.failures.count == 2)
        Self.run(&card, &store, .undo) { _, _ in .failed("full") }
        #expect(card.state == .incomplete)
        Self.run(&card, &store, .undo)
        #expect(card.state == .pendingDeletion && store.records == ["a", "b", "c"] && card.changes.count == 3)
    }

    @Test("While a write is under way nothing else is heard, so that nothing is done twice")
    func busy() throws {
        var card = try Self.card([Edit(before: "tea", after: nil)])
        #expect(card.handle(.confirm).count == 1)
        let waiting = card
        for event: Card.Event in [.confirm, .cancel, .undo, .appeared(exists: false), .reschedule("x")] {
            #expect(card.handle(event).isEmpty && card == waiting)
        }
        #expect(card.handle(.wrote([.done])).count == 1)
        #expect(card.handle(.wrote([.done])).isEmpty)
    }

    @Test("A card of something that is gone is stale; one that shows a deletion is not")
    func stale() throws {
        var card = try Self.card([Edit(before: "tea", after: nil)])
        #expect(card.handle(.appeared(exists: true)).isEmpty && card.state == .pendingDeletion)
        #expect(card.handle(.appeared(exists: false)).isEmpty && card.state == .stale)
        card = try Self.card([Edit(before: nil, after: "tea")])
        #expect(card.handle(.appeared(exists: false)).isEmpty && card.state == .pendingCreation)
    }

    @Test("Changes of several kinds, or none, make no card")
    func kinds() {
        #expect(Card([]) == nil)
        #expect(Card([Edit(before: nil, after: nil)]) == nil)
        #expect(Card([Edit(before: nil, after: "a"), Edit(before: "b", after: nil)]) == nil)
    }

    /// A card with its store and what was asked of it last.
    struct World: Hashable {
        var card: Card
        var store: Store
        var asked: [Edit]
        /// Whether a record was gone: then the store holds less than the card says.
        var isGone = false
    }

    /// Every event that can come next, with what it does to the store.
    static func next(_ world: World) -> [(Card.Event, World)] {
        var result: [(Card.Event, World)] = []
        let events: [Card.Event] = [
            .confirm, .cancel, .undo, .keepConflict, .cancelConflict, .reschedule("moved"), .appeared(exists: true),
            .appeared(exists: false),
        ]
        result += events.map { ($0, world) }
        let results: [Card.Outcome] = [.done, .gone, .failed("no")]
        var outcomes: [[Card.Outcome]] = [[]]
        for _ in world.asked { outcomes = outcomes.flatMap { list in results.map { list + [$0] } } }
        for outcome in outcomes {
            var after = world
            for (change, outcome) in zip(world.asked, outcome) {
                if outcome == .done { after.store.write(change) }
                if outcome == .gone, let before = change.before {
                    after.store.records.remove(before)
                    after.isGone = true
                }
            }
            result.append((.wrote(outcome), after))
        }
        return result
    }

    @Test(
        "Every reachable state by every event: no write without a log entry, none while one is under way, none unasked",
        arguments: [
            [Edit(before: nil, after: "a")], [Edit(before: "a", after: nil)], [Edit(before: "a", after: "b")],
            [Edit(before: nil, after: "a"), Edit(before: nil, after: "c")],
            [Edit(before: "a", after: nil), Edit(before: "c", after: nil)],
            [Edit(before: "a", after: "b"), Edit(before: "c", after: "d")],
        ])
    func everyState(_ changes: [Edit]) throws {
        let first = Set(changes.compactMap(\.before))
        var reached: Set<World> = []
        var states: Set<Card.State> = []
        for (conflicts, movesTime) in [([], false), (["x"], true)] as [([String], Bool)] {
            let card = try Self.card(changes, conflicts: conflicts, movesTime: movesTime)
            var open = [World(card: card, store: Store(records: first), asked: [])]
            while let world = open.popLast() {
                guard reached.insert(world).inserted else { continue }
                states.insert(world.card.state)
                for (event, before) in Self.next(world) {
                    var after = before
                    let effects = after.card.handle(event)
                    var logged: [Edit] = []
                    var asked: [Edit] = world.card.isBusy ? world.asked : []
                    if case .wrote = event, world.card.isBusy { asked = [] }
                    for effect in effects {
                        switch effect {
                        case .write(let changes):
                            #expect(asked.isEmpty, "One write at a time.")
                            #expect(!changes.isEmpty)
                            asked = changes
                        case .log(let entries): logged += entries.map(\.change)
                        }
                    }
                    if case .wrote(let outcomes) = event, world.card.isBusy {
                        let done = zip(world.asked, outcomes).filter { $0.1 == .done }.map(\.0)
                        #expect(logged == done, "What was done is logged, and nothing else.")
                    } else {
                        #expect(logged.isEmpty)
                        if world.card.isBusy { #expect(effects.isEmpty && after.card == world.card) }
                        if case .wrote = event { #expect(effects.isEmpty && after.card == world.card) }
                        let isChoice = [.confirm, .undo, .cancelConflict, .reschedule("moved")].contains(event)
                        #expect(effects.isEmpty || isChoice, "Only a choice leads to a write.")
                    }
                    #expect(after.card.isBusy == !asked.isEmpty)
                    Self.check(after, changes, first)
                    after.asked = asked
                    after.store.log = []
                    if !world.card.isBusy || !logged.isEmpty || after.card != world.card { open.append(after) }
                }
            }
        }
        #expect(!states.isDisjoint(with: [.created, .deleted, .updated]))
        #expect(states.contains(.incomplete) == (changes.count > 1))
    }

    /// What the store holds in the states that say so, where nothing was reported gone.
    static func check(_ world: World, _ changes: [Edit], _ first: Set<String>) {
        guard !world.card.isBusy, !world.isGone else { return }
        switch world.card.state {
        case .created, .updated: #expect(Set(changes.compactMap(\.after)).isSubset(of: world.store.records))
        case .deleted: #expect(world.store.records.isDisjoint(with: changes.compactMap(\.before)))
        default: break
        }
    }

    @Test("Undo of any log entry restores what was there", arguments: 0..<200)
    func undo(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let first: Set<String> = ["a", "b", "c", "d"]
        var store = Store(records: first)
        for round in 0..<6 {
            let names = store.records.sorted().shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            let changes =
                switch round % 3 {
                case 0: names.map { Edit(before: nil, after: "\($0)\(round)") }
                case 1: names.map { Edit(before: $0, after: nil) }
                default: names.map { Edit(before: $0, after: "\($0)'") }
                }
            guard var card = Card(changes) else { continue }
            for _ in 0..<5 {
                let events: [Card.Event] = [.confirm, .undo, .cancelConflict, .appeared(exists: true)]
                var fates = (0..<9).map { _ in Int.random(in: 0..<4, using: &random) == 0 }
                Self.run(&card, &store, events.randomElement(using: &random) ?? .confirm) { _, _ in
                    fates.popLast() == true ? .failed("chance") : .done
                }
            }
        }
        for entry in store.log.reversed() { store.write(entry.change.inverse) }
        #expect(store.records == first)
    }
}
