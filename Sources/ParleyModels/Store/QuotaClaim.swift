// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleySystem

/// What an installation will add to its store, so that several at the same time keep to the quota together.
///
/// The claim is a file that other processes read; it ends with the value, at the latest with the process. What counts
/// towards the quota is all complete files, all partial files, and of those partial files that still grow, their claimed
/// size.
actor QuotaClaim {
    private let store: ModelStore
    private var file: PartialFile?
    /// The claimed sizes, by the names of the partial files.
    private var claimed: [String: ByteSize] = [:]

    init(_ store: ModelStore) {
        self.store = store
    }

    deinit { file?.discard() }

    /// Claims room for partial files with their final sizes, in addition to what was claimed before.
    ///
    /// - Throws: ``ModelStoreError`` with code `quotaExceeded`, whose message names what could be removed, or
    ///   `invalidQuota`; `CancellationError`.
    func make(_ wanted: [String: ByteSize]) async throws {
        if let fault = store.quotaFault { throw fault }
        guard let quota = store.quota, wanted.contains(where: { $0.value > claimed[$0.key, default: .zero] })
        else { return }
        let lock = try await store.lock(.exclusive, at: store.layout.quotaLock)
        defer { withExtendedLifetime(lock) {} }
        // Another call may have claimed something while this one waited for the lock.
        let (complete, partial, others) = try usage()
        let sizes = claimed.merging(wanted, uniquingKeysWith: max)
        let abandoned = partial.filter { others[$0.key] == nil && sizes[$0.key] == nil }
        let used = complete + Self.sum(Self.count(partial, others).filter { sizes[$0.key] == nil })
        let needed = Self.sum(Self.count(Self.count(partial, others), sizes)) + complete - used
        guard used + needed <= quota else {
            throw try store.exceeded(quota, used: used, needed: needed, partial: Self.sum(abandoned))
        }
        try write(sizes)
        claimed = sizes
    }

    /// The largest size that a partial file may have, given the free space and the quota.
    func room(for partial: PartialFile) async throws -> ByteSize {
        if let fault = store.quotaFault { throw fault }
        let free = store.freeSpace(store.directory) ?? .limit
        guard let quota = store.quota else { return free }
        let lock = try await store.lock(.exclusive, at: store.layout.quotaLock)
        defer { withExtendedLifetime(lock) {} }
        let (complete, partials, others) = try usage()
        var rest = Self.count(Self.count(partials, others), claimed)
        rest[partial.url.lastPathComponent] = nil
        return min(free, quota - complete - Self.sum(rest))
    }

    /// The sizes that count: of a partial file whose final size is claimed, that one.
    private static func count(_ sizes: [String: ByteSize], _ claims: [String: ByteSize]) -> [String: ByteSize] {
        sizes.merging(claims) { size, claim in claim > .zero ? claim : size }
    }

    private static func sum(_ sizes: [String: ByteSize]) -> ByteSize { sizes.values.reduce(.zero, +) }

    /// What is in the store, and what other installations have claimed. The caller holds the lock.
    private func usage() throws -> (complete: ByteSize, partial: [String: ByteSize], others: [String: ByteSize]) {
        let layout = store.layout
        let blobs = try store.contents(of: layout.blobs)
        var partial: [String: ByteSize] = [:]
        var others: [String: ByteSize] = [:]
        for name in try store.contents(of: layout.partials) {
            let url = layout.partial(name)
            guard name.hasSuffix(StoreLayout.claimSuffix) else {
                partial[name] = RegularFile.allocatedSize(of: url)
                continue
            }
            guard url != file?.url else { continue }
            if let abandoned = try PartialFile.claim(at: url) {
                abandoned.discard()
            } else if let data = try? WholeFile.contents(of: url, limit: StoreLayout.longestManifest),
                let sizes = try? JSONDecoder().decode([String: ByteSize].self, from: data)
            {
                others.merge(sizes, uniquingKeysWith: max)
            }
        }
        let complete = blobs.reduce(ByteSize.zero) { sum, name in
            // A file that is complete by now has left its partial file.
            others[name] = nil
            claimed[name] = nil
            return sum + (RegularFile.ownSize(of: layout.blobs.appending(path: name)) ?? .zero)
        }
        return (complete, partial, others)
    }

    /// Gives back what was claimed for a partial file that has become complete. If that fails, it counts until the
    /// installation ends.
    func end(_ partial: URL) async {
        guard file != nil, let lock = try? await store.lock(.exclusive, at: store.layout.quotaLock) else { return }
        defer { withExtendedLifetime(lock) {} }
        guard claimed.removeValue(forKey: partial.lastPathComponent) != nil else { return }
        try? write(claimed)
    }

    /// Writes the claim. The caller holds the lock.
    private func write(_ sizes: [String: ByteSize]) throws {
        let data = try JSONEncoder().encode(sizes)
        let name = UUID().uuidString + StoreLayout.claimSuffix
        let file = try file ?? PartialFile.create(at: store.layout.partial(name))
        if self.file == nil, try !file.lock() { throw ModelStoreError.system("lock", file.url, EWOULDBLOCK) }
        self.file = file
        try file.truncate(to: 0)
        try file.write(data, at: 0)
    }
}

extension ModelStore {
    /// The error for an installation that would exceed the quota.
    ///
    /// - Parameters:
    ///   - quota: the limit.
    ///   - used: what counts towards it now.
    ///   - needed: what the installation would add.
    ///   - partial: the size of the partial files that nobody is downloading.
    /// - Returns: the error, which names models that could be removed, and the command that removes remains.
    /// - Throws: ``ModelStoreError`` with code `storageFailed`.
    fileprivate func exceeded(
        _ quota: ByteSize, used: ByteSize, needed: ByteSize, partial: ByteSize
    ) throws -> ModelStoreError {
        let needs = try list().map { (model: $0, blobs: Set(try blobs(of: $0.directory))) }
        let known = needs.reduce(into: Set<String>()) { $0.formUnion($1.blobs) }
        let unneeded = try contents(of: layout.blobs).filter { !known.contains($0) }
        func size(_ names: some Sequence<String>) -> ByteSize {
            names.reduce(.zero) { $0 + (RegularFile.ownSize(of: layout.blobs.appending(path: $1)) ?? .zero) }
        }
        let remains = size(unneeded) + partial
        let excess = used + needed - quota
        var proposals: [String] = []
        var freed = remains
        if remains > .zero {
            proposals.append(
                "\(ShellCommand("parley models gc" + (partial > .zero ? " --partial" : ""))) (interrupted downloads and "
                    + "files of no model, \(remains))")
        }
        for need in needs.sorted(by: { $0.model.lastUsed < $1.model.lastUsed }) where freed < excess {
            // What another model shares, or lies outside the store, would not be freed.
            let shared = needs.filter { $0.model.name != need.model.name }.flatMap(\.blobs)
            let own = size(need.blobs.subtracting(shared))
            guard own > .zero else { continue }
            freed += own
            let day = need.model.lastUsed.formatted(.iso8601.year().month().day())
            proposals.append("\(ShellCommand("parley models remove", need.model.name)) (\(own), last used \(day))")
        }
        // Rounded up, so that it is enough.
        let megabytes = ((used + needed).bytes + 999_999) / 1_000_000
        let remedy =
            proposals.isEmpty || freed < excess
            ? "Raise the limit to \(megabytes)MB or more: set PARLEY_MODELS_QUOTA, or give --quota to 'parley models pull' "
                + "or 'parley models import'."
            : "To make room: " + proposals.joined(separator: ", ") + "."
        return ModelStoreError(
            .quotaExceeded,
            "The models may take up \(quota) (PARLEY_MODELS_QUOTA or --quota). They take up \(used) now, with "
                + "downloads that are not complete, and \(needed) more would be needed.\n\(remedy)")
    }
}
