// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import Synchronization

/// Adds up what has come of all files of a model, and hands events on one at a time.
final class FetchProgress: Sendable {
    private struct State {
        var received: [String: ByteSize] = [:]
        var totals: [String: ByteSize]

        /// What is here of all files.
        var here: Int64 { received.values.reduce(ByteSize.zero, +).bytes }
    }

    private let state: Mutex<State>
    private let fileCount: Int
    private let send: @Sendable (FetchEvent) -> Void

    init(_ manifest: ModelManifest, report: @escaping @Sendable (FetchEvent) -> Void) {
        let known = manifest.files.compactMap { file in file.byteCount.map { (file.name, $0) } }
        state = Mutex(State(totals: Dictionary(known) { first, _ in first }))
        fileCount = manifest.files.count
        send = report
    }

    /// Hands an event on.
    func report(_ event: FetchEvent) {
        state.withLock { _ in send(event) }
    }

    /// A file was here already.
    func skip(_ file: String, byteCount: ByteSize) {
        state.withLock { $0.received[file] = byteCount }
    }

    /// All of a file is here.
    func finish(_ file: String, byteCount: ByteSize) {
        state.withLock { state in
            state.received[file] = byteCount
            state.totals[file] = byteCount
        }
    }

    /// So much of a file is here from earlier.
    func resume(_ file: String, _ bytes: ByteSize) {
        state.withLock { state in
            state.received[file] = bytes
            send(.resumed(bytes: state.here))
        }
    }

    /// So much of a file is here.
    func receive(_ file: String, _ bytes: ByteSize, of total: ByteSize?) {
        state.withLock { state in
            // Parts come side by side, and their reports may overtake each other.
            state.received[file] = bytes
            if let total { state.totals[file] = total }
            let whole = state.totals.count == fileCount ? state.totals.values.reduce(ByteSize.zero, +) : .zero
            send(.received(bytes: state.here, of: whole.bytes))
        }
    }

    /// So much has come of something that the file is made of.
    func receiveElsewhere(_ bytes: ByteSize, of total: ByteSize) {
        report(.received(bytes: bytes.bytes, of: total.bytes))
    }
}
