// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Synchronization

/// Shows on a terminal how much of a sound file has been written down.
package final class TranscribingDisplay: Sendable {
    private let name: String
    private let duration: Duration?
    private let status = StatusLine()
    /// When the line was last written; nil while there is none.
    private let shown = Mutex<ContinuousClock.Instant?>(nil)

    init(name: String, duration: Duration?) {
        (self.name, self.duration) = (name, duration)
    }

    /// Shows that the file has been read up to a time.
    func show(_ time: Duration) {
        guard status.isShown else { return }
        shown.withLock { shown in
            if let last = shown, last.duration(to: .now) < .milliseconds(200) { return }
            shown = .now
            let part = duration.flatMap { $0 > .zero ? Int(min(1, time / $0) * 100) : nil }
            let amount = part.map { "\($0)%" } ?? "\(time.components.seconds) s"
            status.draw(Self.line(name, amount, columns: Terminal.size.columns))
        }
    }

    /// A name without control characters and an amount, which is shown also where the name has no room.
    package static func line(_ name: String, _ amount: String, columns: Int) -> String {
        let room = columns - 3 - DisplayWidth.of(amount)
        return "\(DisplayWidth.beginning(of: PlainText.line(name), columns: room)): \(amount)"
    }

    /// Removes what was shown.
    func clear() {
        shown.withLock { shown in
            if shown != nil { status.erase() }
            shown = nil
        }
    }
}
