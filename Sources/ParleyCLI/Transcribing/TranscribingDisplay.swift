// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Shows on a terminal how much of a sound file has been written down.
final class TranscribingDisplay: Sendable {
    private let name: String
    private let duration: Duration?
    private let isTerminal = Terminal.Stream.error.isTerminal && !TextStyle.isDumb
    /// When the line was last written; nil while there is none.
    private let shown = Mutex<ContinuousClock.Instant?>(nil)

    init(name: String, duration: Duration?) {
        (self.name, self.duration) = (name, duration)
    }

    /// Shows that the file has been read up to a time.
    func show(_ time: Duration) {
        guard isTerminal else { return }
        shown.withLock { shown in
            if let last = shown, last.duration(to: .now) < .milliseconds(200) { return }
            shown = .now
            let part = duration.flatMap { $0 > .zero ? Int(min(1, time / $0) * 100) : nil }
            let amount = part.map { "\($0) %" } ?? "\(time.components.seconds) s"
            Terminal.write("\r\u{1b}[K\(name): \(amount)", to: .error)
        }
    }

    /// Removes what was shown.
    func clear() {
        guard isTerminal else { return }
        shown.withLock { shown in
            if shown != nil { Terminal.write("\r\u{1b}[K", to: .error) }
            shown = nil
        }
    }
}
