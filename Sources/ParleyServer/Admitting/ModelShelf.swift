// SPDX-License-Identifier: Apache-2.0

/// Keeps which models are in memory and in use, and decides which one has to go, as a pure state machine.
///
/// A model with a lease never goes. One that is pinned never goes by itself.
package struct ModelShelf: Sendable {
    private struct Entry {
        var isPinned: Bool
        var status = ServedModel.Status.unloaded
        var leases = 0
        var lastUsed: ContinuousClock.Instant
    }

    /// How long a model stays without a reply.
    package let keepAlive: Duration
    private var entries: [String: Entry] = [:]

    package init(keepAlive: Duration) {
        self.keepAlive = keepAlive
    }

    /// Adds a model that is not in memory.
    package mutating func add(_ id: String, isPinned: Bool, now: ContinuousClock.Instant) {
        entries[id] = Entry(isPinned: isPinned, lastUsed: now)
    }

    /// Removes a model.
    package mutating func remove(_ id: String) { entries[id] = nil }

    /// Whether replies have taken a model, or it is being loaded.
    package func isInUse(_ id: String) -> Bool {
        entries[id].map { $0.leases > 0 || $0.status == .loading } ?? false
    }

    /// Whether a model is in memory; nil for one that is not known.
    package func status(of id: String) -> ServedModel.Status? { entries[id]?.status }

    /// A model's status has changed.
    package mutating func set(_ id: String, _ status: ServedModel.Status, now: ContinuousClock.Instant) {
        entries[id]?.status = status
        entries[id]?.lastUsed = now
    }

    /// A reply takes a model, which may still be loading.
    package mutating func lease(_ id: String, now: ContinuousClock.Instant) {
        entries[id]?.leases += 1
        entries[id]?.lastUsed = now
    }

    /// A reply has ended.
    package mutating func release(_ id: String, now: ContinuousClock.Instant) {
        guard let entry = entries[id], entry.leases > 0 else { return }
        entries[id]?.leases -= 1
        entries[id]?.lastUsed = now
    }

    /// The model that goes first when another needs its memory; nil if all are pinned or in use.
    package var leastRecentlyUsed: String? { idle.min { $0.value.lastUsed < $1.value.lastUsed }?.key }

    /// The models that have been without a reply for too long.
    package func expired(now: ContinuousClock.Instant) -> [String] {
        idle.filter { $0.value.lastUsed.duration(to: now) >= keepAlive }.map(\.key).sorted()
    }

    private var idle: [String: Entry] {
        entries.filter { $0.value.status == .loaded && $0.value.leases == 0 && !$0.value.isPinned }
    }
}
