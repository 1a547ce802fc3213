// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("ProgressLine")
struct ProgressLineTests {
    private func line(received: Int64, after duration: Duration, columns: Int) -> String {
        let start = ContinuousClock.now
        var line = ProgressLine(total: 98_362_432, now: start)
        line.update(received: received, now: start + duration)
        return line.text(columns: columns)
    }

    @Test("bar, amount, rate and time left fit sixty columns")
    func sixtyColumns() {
        let text = line(received: 49_181_216, after: .seconds(10), columns: 59)
        #expect(text == "██████████░░░░░░░░░░  50%  49 of 98 MB  4.9 MB/s  10 s left")
        #expect(text.count <= 59)
    }

    @Test("at the beginning there is no rate and no time left")
    func beginning() {
        #expect(line(received: 0, after: .zero, columns: 59) == "░░░░░░░░░░░░░░░░░░░░░░░░   0%  0 of 98 MB")
    }

    @Test("a finished download has no time left")
    func end() {
        let text = line(received: 98_362_432, after: .seconds(100), columns: 80)
        #expect(text == "████████████████████████ 100%  98 of 98 MB  1.0 MB/s")
    }

    @Test("in a file or a pipe there is no bar")
    func plainText() {
        let start = ContinuousClock.now
        var line = ProgressLine(total: 98_362_432, now: start)
        line.update(received: 49_181_216, now: start + .seconds(10))
        #expect(line.plainText == "50%: 49 of 98 MB, 4.9 MB/s, 10 s left")
    }

    @Test("long waits are told in minutes and hours")
    func longWaits() {
        #expect(line(received: 1_000_000, after: .seconds(2), columns: 80).hasSuffix("3 min 15 s left"))
        #expect(line(received: 1_000_000, after: .seconds(200), columns: 80).hasSuffix("5 h 24 min left"))
    }

    @Test("no width is too small", arguments: 0..<30)
    func narrow(columns: Int) {
        #expect(line(received: 5_000_000, after: .seconds(2), columns: columns).count <= columns)
    }
}
