// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels

/// The progress line of a download: bar, amount, rate and remaining time, limited to a width.
package struct ProgressLine: Sendable {
    /// The size of the whole download in bytes; 0 where it is unknown.
    package var total: Int64
    private var received: Int64
    private var rate: DownloadRate

    /// Creates a line for a download that begins now. The bytes that were `present` before are not counted in the rate.
    package init(total: Int64, present: Int64 = 0, now: ContinuousClock.Instant) {
        self.total = max(total, 0)
        received = present
        rate = DownloadRate(present: present, now: now)
    }

    /// Updates the number of bytes downloaded.
    package mutating func update(received: Int64, now: ContinuousClock.Instant) {
        self.received = total > 0 ? min(received, total) : received
        rate.update(received: self.received, now: now)
    }

    /// The downloaded part in per cent.
    package var percent: Int { total > 0 ? Int(received * 100 / total) : 0 }

    /// The line as text.
    ///
    /// - Parameter columns: the maximum width; parts that do not fit are left out, the bar first.
    /// - Returns: the line, without a line feed.
    package func text(columns: Int) -> String {
        var parts = parts
        guard total > 0 else { return String(parts.joined(separator: "  ").prefix(max(columns, 0))) }
        let percentText = String(repeating: " ", count: percent < 10 ? 2 : percent < 100 ? 1 : 0) + "\(percent)%"
        while parts.count > 1, Self.join(percentText, parts).count > columns { parts.removeLast() }
        let text = Self.join(percentText, parts)
        let room = columns - text.count - 1
        guard room >= 10 else { return String(text.prefix(max(columns, 0))) }
        let cells = min(room, 24)
        let filled = Int(received * Int64(cells) / total)
        return String(repeating: "█", count: filled) + String(repeating: "░", count: cells - filled) + " " + text
    }

    /// The line for a file or a pipe: without a bar.
    package var plainText: String {
        (total > 0 ? "\(percent)%: " : "") + parts.joined(separator: ", ")
    }

    /// The amount, the rate and the remaining time, as far as they are known.
    private var parts: [String] {
        let amount = Self.megabytes(received) + (total > 0 ? " of \(Self.megabytes(total))" : "") + " MB"
        guard let speed = rate.bytesPerSecond(of: total) else { return [amount] }
        let left = total > 0 && received < total ? rate.secondsLeft(of: total) : nil
        return [amount, String(format: "%.1f MB/s", speed / 1e6)] + (left.map { [Self.time($0) + " left"] } ?? [])
    }

    private static func join(_ percent: String, _ parts: [String]) -> String {
        percent + "  " + parts.joined(separator: "  ")
    }

    private static func megabytes(_ bytes: Int64) -> String {
        "\((bytes + 500_000) / 1_000_000)"
    }

    private static func time(_ seconds: Double) -> String {
        let seconds = Int(min(seconds.rounded(.up), 359_999))
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }
}
