// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ParleyFiles
import Synchronization

/// Computes the SHA-256 digest of a file while it is being downloaded: reads the bytes at its start that are already
/// complete.
final class PrefixHash: Sendable {
    private struct State {
        /// The number of bytes at the start of the file that may be read.
        var available: Int64 = 0
        var isScheduled = false
        var isStopped = false
        var failure: (any Error)?
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// `@unchecked Sendable`: used on the queue only.
    private final class Hasher: @unchecked Sendable {
        var hash = SHA256Hash()
        var position: Int64 = 0
    }

    private static let pieceSize = 1 << 20

    private let file: PartialFile
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "parley.prefix-hash", qos: .utility)
    private let hasher = Hasher()

    init(of file: PartialFile) {
        self.file = file
    }

    /// Allows the first `available` bytes of the file to be read.
    func advance(to available: Int64) {
        let isToSchedule = state.withLock { state in
            state.available = max(state.available, available)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isToSchedule { queue.async { self.run() } }
    }

    private func run() {
        while true {
            let target = state.withLock { state -> Int64? in
                if hasher.position < state.available, !state.isStopped, state.failure == nil { return state.available }
                state.isScheduled = false
                state.waiting?.resume()
                state.waiting = nil
                return nil
            }
            guard let target else { return }
            do {
                let count = min(Int64(Self.pieceSize), target - hasher.position)
                let piece = try file.read(Int(count), at: hasher.position)
                hasher.hash.update(piece)
                hasher.position += count
            } catch {
                state.withLock { $0.failure = error }
            }
        }
    }

    /// The digest of all bytes that were made available, in lowercase hexadecimal digits.
    func finish() async throws -> String {
        await withTaskCancellationHandler {
            await idle()
        } onCancel: {
            stop()
        }
        try Task.checkCancellation()
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return queue.sync { hasher.hash.hexadecimal }
    }

    private func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.isScheduled { return true }
                state.waiting = continuation
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Stops hashing, and returns when the file is no longer read.
    func close() async {
        stop()
        await idle()
    }

    /// Stops hashing, for example because the download failed, without waiting.
    func stop() {
        state.withLock { $0.isStopped = true }
    }
}
