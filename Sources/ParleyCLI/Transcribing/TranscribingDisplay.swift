// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Synchronization

/// Shows on a terminal how much of a sound file has been written down.
package final class TranscribingDisplay: Sendable {
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
            Terminal.write("\r\u{1b}[K" + Self.line(name, amount, columns: Terminal.size.columns), to: .error)
        }
    }

    /// A name without control characters and an amount, in one line of a terminal: only one is removed again.
    package static func line(_ name: String, _ amount: String, columns: Int) -> String {
        var rest = columns - 3 - DisplayWidth.of(amount)
        let shown = PlainText.line(name).prefix { character in
            rest -= DisplayWidth.of(character)
            return rest >= 0
        }
        return "\(shown): \(amount)"
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
