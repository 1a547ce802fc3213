// SPDX-License-Identifier: Apache-2.0

/// Where a model is in memory: in the engine that it runs on for everybody, or beside that in one of choice.
package struct ModelPlace: Hashable, Comparable, Sendable {
    /// The name of the model.
    package var id: String
    /// The engine of choice; nil for the one that the model runs on for everybody.
    package var engine: String?

    /// Creates a place.
    package init(_ id: String, in engine: String? = nil) {
        self.id = id
        self.engine = engine
    }

    package static func < (one: ModelPlace, other: ModelPlace) -> Bool {
        (one.id, one.engine ?? "") < (other.id, other.engine ?? "")
    }
}

/// Keeps which models are in memory and in use, and decides which one has to go, as a pure state machine.
///
/// A model with a lease never goes. One that is pinned never goes by itself.
package struct ModelShelf: Sendable {
    private struct Entry {
        var isPinned: Bool
        var status = ServedModel.Status.unloaded
        var leases = 0
        var lastUsed: ContinuousClock.Instant

        var isInUse: Bool { leases > 0 || status == .loading }
    }

    /// How long a model stays without a reply.
    package let keepAlive: Duration
    private var entries: [ModelPlace: Entry] = [:]

    package init(keepAlive: Duration) {
        self.keepAlive = keepAlive
    }

    /// Adds a model that is not in memory; one that is known stays as it is.
    package mutating func add(_ place: ModelPlace, isPinned: Bool, now: ContinuousClock.Instant) {
        if entries[place] == nil { entries[place] = Entry(isPinned: isPinned, lastUsed: now) }
    }

    /// Removes a model from all its places.
    package mutating func remove(_ id: String) { entries = entries.filter { $0.key.id != id } }

    /// Whether replies have taken a model in a place, or it is being loaded there.
    package func isInUse(_ place: ModelPlace) -> Bool { entries[place]?.isInUse ?? false }

    /// Whether replies have taken a model in any place, or it is being loaded there.
    package func isInUse(anywhere id: String) -> Bool { entries.contains { $0.key.id == id && $0.value.isInUse } }

    /// Whether a model is in memory; nil for one that is not known.
    package func status(of place: ModelPlace) -> ServedModel.Status? { entries[place]?.status }

    /// A model's status has changed.
    package mutating func set(_ place: ModelPlace, _ status: ServedModel.Status, now: ContinuousClock.Instant) {
        entries[place]?.status = status
        entries[place]?.lastUsed = now
        forget(place)
    }

    /// A reply takes a model, which may still be loading. A place in an engine of choice is known from then on.
    package mutating func lease(_ place: ModelPlace, now: ContinuousClock.Instant) {
        if place.engine != nil { add(place, isPinned: false, now: now) }
        entries[place]?.leases += 1
        entries[place]?.lastUsed = now
    }

    /// A reply has ended.
    package mutating func release(_ place: ModelPlace, now: ContinuousClock.Instant) {
        guard let entry = entries[place], entry.leases > 0 else { return }
        entries[place]?.leases -= 1
        entries[place]?.lastUsed = now
        forget(place)
    }

    /// Removes a place in an engine of choice that is neither wanted nor in memory: clients may name any engine.
    private mutating func forget(_ place: ModelPlace) {
        guard place.engine != nil, let entry = entries[place], !entry.isInUse, entry.status != .loaded else { return }
        entries[place] = nil
    }

    /// The model that goes first when another needs its memory; nil if all are pinned or in use.
    package var leastRecentlyUsed: ModelPlace? { idle.min { $0.value.lastUsed < $1.value.lastUsed }?.key }

    /// The models that have been without a reply for too long.
    package func expired(now: ContinuousClock.Instant) -> [ModelPlace] {
        idle.filter { $0.value.lastUsed.duration(to: now) >= keepAlive }.map(\.key).sorted()
    }

    private var idle: [ModelPlace: Entry] {
        entries.filter { $0.value.status == .loaded && $0.value.leases == 0 && !$0.value.isPinned }
    }
}
