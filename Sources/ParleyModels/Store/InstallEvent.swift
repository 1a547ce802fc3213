// SPDX-License-Identifier: Apache-2.0

import Logging
import ParleySystem
import Synchronization

/// Progress of the installation of a model.
///
/// The order, for each file that is missing: optionally `waiting`; then for each source that is tried `started`,
/// optionally `resumed`, any number of `received` and `retrying`, and finally `failed` or `verifying`.
public enum InstallEvent: Sendable {
    /// Another process is downloading the same model or file, whose name is given; the installation waits for it.
    case waiting(for: String)
    /// A source is being requested.
    case started(ModelSource)
    /// An earlier attempt left this many bytes of the model, which are not downloaded again.
    case resumed(bytes: Int64)
    /// The number of bytes of the model downloaded so far, and their total; the total is 0 where no server has sent it.
    case received(bytes: Int64, of: Int64)
    /// A source failed and is tried again after the delay.
    case retrying(ModelSource, ModelStoreError, in: Duration)
    /// A source failed for good; `next` is tried after it, if there is one.
    case failed(ModelSource, ModelStoreError, next: ModelSource?)
    /// An archive was downloaded completely, and the file is being taken out of it.
    case unpacking
    /// A file was downloaded completely and is being checked.
    case verifying

    /// The part of the model that has been downloaded, from 0 to 1; nil where it is not known, and for other events.
    public var fraction: Double? {
        guard case .received(let bytes, let total) = self, total > 0 else { return nil }
        return min(max(Double(bytes) / Double(total), 0), 1)
    }
}

/// Adds up the downloaded bytes over all files of a model, and delivers events one at a time.
final class InstallProgress: Sendable {
    private struct State {
        var received: [String: ByteSize] = [:]
        var totals: [String: ByteSize]

        /// The number of bytes downloaded of all files.
        var here: Int64 { received.values.reduce(ByteSize.zero, +).bytes }
    }

    private let state: Mutex<State>
    private let fileCount: Int
    private let send: @Sendable (InstallEvent) -> Void
    private let logger: Logger

    init(_ manifest: ModelManifest, logger: Logger, report: @escaping @Sendable (InstallEvent) -> Void) {
        let known = manifest.files.compactMap { file in file.byteCount.map { (file.name, $0) } }
        state = Mutex(State(totals: Dictionary(known) { first, _ in first }))
        fileCount = manifest.files.count
        send = report
        var logger = logger
        logger[metadataKey: "model"] = "\(manifest.name)"
        self.logger = logger
    }

    /// Delivers an event.
    func report(_ event: InstallEvent) {
        logger.record(event)
        state.withLock { _ in send(event) }
    }

    /// Records a file that was there already.
    func skip(_ file: String, byteCount: ByteSize) {
        state.withLock { $0.received[file] = byteCount }
    }

    /// Records that a file was downloaded completely.
    func finish(_ file: String, byteCount: ByteSize) {
        logger.info("A file has come.", metadata: ["file": "\(file)", "bytes": "\(byteCount.bytes)"])
        state.withLock { state in
            state.received[file] = byteCount
            state.totals[file] = byteCount
        }
    }

    /// Records how much of a file an earlier attempt has left.
    func resume(_ file: String, _ bytes: ByteSize) {
        logger.info("A download goes on.", metadata: ["file": "\(file)", "bytes": "\(bytes.bytes)"])
        state.withLock { state in
            state.received[file] = bytes
            send(.resumed(bytes: state.here))
        }
    }

    /// Records how much of a file has been downloaded.
    func receive(_ file: String, _ bytes: ByteSize, of total: ByteSize?) {
        state.withLock { state in
            // Several connections report at the same time, so a smaller number may arrive after a larger one.
            state.received[file] = bytes
            if let total { state.totals[file] = total }
            let whole = state.totals.count == fileCount ? state.totals.values.reduce(ByteSize.zero, +) : .zero
            send(.received(bytes: state.here, of: whole.bytes))
        }
    }

    /// Records how much was downloaded of an archive that contains the file.
    func receiveElsewhere(_ bytes: ByteSize, of total: ByteSize) {
        report(.received(bytes: bytes.bytes, of: total.bytes))
    }
}

extension Logger {
    /// Notes an event, with the names of hosts and the kinds of failures: an address may hold a secret.
    fileprivate func record(_ event: InstallEvent) {
        switch event {
        case .waiting(let name): info("Another process is fetching this.", metadata: ["name": "\(name)"])
        case .started(let source): info("A download begins.", metadata: ["source": "\(source.title)"])
        case .retrying(let source, let error, let delay):
            notice(
                "A source failed and is asked again.",
                metadata: ["source": "\(source.title)", "error": "\(error.code)", "delay": "\(delay)"])
        case .failed(let source, let error, let next):
            warning(
                "A source did not deliver.",
                metadata: [
                    "source": "\(source.title)", "error": "\(error.code)", "next": "\(next?.title ?? "none")",
                ])
        case .unpacking: debug("A file is being taken out of an archive.")
        case .verifying: debug("A file is being checked.")
        case .resumed, .received: break
        }
    }
}
