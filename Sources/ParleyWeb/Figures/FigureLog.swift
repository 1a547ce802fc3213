// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
package import ParleyServer

/// What the server did in the last ten minutes, made of counts that only grow.
package struct FigureLog: Sendable {
    /// The figures between two points in time.
    package struct Sample: Sendable, Hashable {
        /// The end of that time, in seconds since 1970.
        package var date: Double
        /// The tokens that were read in a second.
        package var read: Double
        /// The tokens that were written in a second.
        package var written: Double
        /// The seconds to the first token of the replies that had one; nil if none had.
        package var firstToken: Double?
        /// The replies that run.
        package var running: Int
        /// The replies that wait.
        package var waiting: Int

        /// Whether nothing happened.
        var isIdle: Bool { read == 0 && written == 0 && firstToken == nil && running == 0 && waiting == 0 }

        var json: JSONValue {
            [
                "date": .number(date), "tokens_read_per_second": .number(read),
                "tokens_written_per_second": .number(written),
                "first_token_seconds": firstToken.map { .number($0) } ?? .null, "running": .integer(running),
                "waiting": .integer(waiting),
            ]
        }
    }

    /// The time that is kept, in seconds.
    package static let keptTime = 600.0

    /// The samples, the oldest first. The first one may be older than what is kept: what follows begins at it.
    package private(set) var samples: [Sample] = []
    /// The latest counts.
    package private(set) var last: ServerFigures?
    private var lastDate = 0.0

    /// Creates a log without samples.
    package init() {}

    /// Takes the counts of now.
    ///
    /// - Parameters:
    ///   - now: the counts.
    ///   - date: the time, in seconds since 1970.
    package mutating func take(_ now: ServerFigures, at date: Double) {
        defer { (last, lastDate) = (now, date) }
        guard let last, date > lastDate else { return }
        func rate(_ value: KeyPath<ServerFigures, Int>) -> Double {
            Double(max(now[keyPath: value] - last[keyPath: value], 0)) / (date - lastDate)
        }
        let firsts = now.firstTokens - last.firstTokens
        let sample = Sample(
            date: date, read: rate(\.promptTokens), written: rate(\.generatedTokens),
            firstToken: firsts > 0 ? (now.firstTokenSeconds - last.firstTokenSeconds) / Double(firsts) : nil,
            running: now.running, waiting: now.waiting)
        // Of a time in which nothing happens the two ends are enough.
        if sample.isIdle, samples.count >= 2, samples.suffix(2).allSatisfy(\.isIdle) { samples.removeLast() }
        samples.append(sample)
        let gone = samples.dropFirst().prefix { $0.date <= date - Self.keptTime }.count
        samples.removeFirst(gone)
    }
}
