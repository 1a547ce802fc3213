// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Synchronization

/// What happens while a model is installed.
///
/// Order, for each of its files that is not here: perhaps `waiting`; then for each source that is tried `started`,
/// perhaps `resumed`, any number of `received` and `retrying`, and either `failed` or `verifying`.
public enum InstallEvent: Sendable {
    /// Another process is fetching the same model, or a file of it.
    case waiting(for: String)
    /// A source is being asked.
    case started(ModelSource)
    /// So many bytes of the model are here from an earlier attempt and need not come again.
    case resumed(bytes: Int64)
    /// So many bytes of so many are here; the whole is 0 where no server has told it.
    case received(bytes: Int64, of: Int64)
    /// A source failed and is asked again after a wait.
    case retrying(ModelSource, ModelStoreError, in: Duration)
    /// A source did not deliver, and the next one follows, if there is one.
    case failed(ModelSource, ModelStoreError, next: ModelSource?)
    /// Everything of a file has come and is being checked.
    case verifying
}

/// Adds up what has come of all files of a model, and hands events on one at a time.
final class InstallProgress: Sendable {
    private struct State {
        var received: [String: ByteSize] = [:]
        var totals: [String: ByteSize]

        /// What is here of all files.
        var here: Int64 { received.values.reduce(ByteSize.zero, +).bytes }
    }

    private let state: Mutex<State>
    private let fileCount: Int
    private let send: @Sendable (InstallEvent) -> Void

    init(_ manifest: ModelManifest, report: @escaping @Sendable (InstallEvent) -> Void) {
        let known = manifest.files.compactMap { file in file.byteCount.map { (file.name, $0) } }
        state = Mutex(State(totals: Dictionary(known) { first, _ in first }))
        fileCount = manifest.files.count
        send = report
    }

    /// Hands an event on.
    func report(_ event: InstallEvent) {
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
