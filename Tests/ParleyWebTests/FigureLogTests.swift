// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyServer
import ParleyTesting
import ParleyWeb
import Testing

@Suite("The figures of the last ten minutes", .timeLimit(.minutes(15)))
struct FigureLogTests {
    private static func figures(read: Int = 0, written: Int = 0, running: Int = 0) -> ServerFigures {
        var figures = ServerFigures()
        (figures.promptTokens, figures.generatedTokens, figures.running) = (read, written, running)
        return figures
    }

    @Test("What was counted between two points in time is divided by that time, however long it is.")
    func rates() {
        var log = FigureLog()
        log.take(Self.figures(read: 1_000), at: 100)
        #expect(log.samples.isEmpty, "what was before the first count is not known")
        log.take(Self.figures(read: 1_400, written: 20, running: 1), at: 102)
        // A machine that slept wakes up.
        log.take(Self.figures(read: 7_400, written: 20), at: 702)
        #expect(log.samples.map(\.read) == [200, 10])
        #expect(log.samples.map(\.written) == [10, 0])
        #expect(log.samples.map(\.running) == [1, 0])
    }

    @Test("The time to the first token is that of the replies that had one.")
    func firstTokens() {
        var log = FigureLog()
        var figures = Self.figures()
        for (sum, count) in [(3.0, 2), (4.5, 5), (4.5, 5)] {
            (figures.firstTokenSeconds, figures.firstTokens) = (sum, count)
            figures.generatedTokens += 1
            log.take(figures, at: Double(count) + sum + Double(figures.generatedTokens))
        }
        #expect(log.samples.map(\.firstToken) == [0.5, nil])
    }

    @Test("A time in which nothing happens takes two samples, and ten minutes are kept.")
    func idle() throws {
        var log = FigureLog()
        log.take(Self.figures(), at: 0)
        log.take(Self.figures(written: 10), at: 2)
        for second in stride(from: 4.0, through: 500, by: 2) { log.take(Self.figures(written: 10), at: second) }
        #expect(log.samples.map(\.date) == [2, 4, 500])
        log.take(Self.figures(written: 30), at: 502)
        #expect(log.samples.map(\.written) == [5, 0, 0, 10])
        for second in stride(from: 504.0, through: 1_000, by: 2) { log.take(Self.figures(written: 30), at: second) }
        // What follows begins at the last sample before.
        #expect(log.samples.map(\.date) == [4, 500, 502, 504, 1_000])
        for second in 0..<2_000 {
            log.take(Self.figures(written: 40 + second), at: 1_002 + 2 * Double(second))
        }
        #expect(log.samples.count == 301)
    }

    @Test("A page that looks is told what was before, and goes on being told only while it says that it looks.")
    func looking() async throws {
        let clock = ManualClock()
        try await PageTrial.with(ScriptedRunner(replies: ["Hello there."]), clock: clock) { trial in
            let chat = try await trial.newChat()
            try await trial.wish("send", ["chat": .string(chat), "text": "Hi", "attachments": []])
            func isTold(_ sample: JSONValue) -> Bool { (sample["tokens_written_per_second"]?.number ?? 0) > 0 }
            while try await trial.read("state")["performance"]?["samples"]?.array?.contains(where: isTold) != true {
                await clock.sleeper()
                clock.advance(by: .seconds(2))
                await Task.yield()
            }
            let events = try await trial.events(chat, since: try await trial.place(chat))
            try await trial.wish("watchMetrics")
            let ticking = Task {
                while !Task.isCancelled {
                    await clock.sleeper()
                    clock.advance(by: .seconds(2))
                    await Task.yield()
                }
            }
            defer { ticking.cancel() }
            for number in 0..<30 {
                let told = try await events.until { $0.type == "metrics" }.last?.data["performance"]
                #expect(told?["samples"]?.array?.contains(where: isTold) == true, "\(number)")
            }
            // Nobody has said again that they look: the next thing that is told is something else.
            try await trial.wish("rename", ["chat": .string(chat), "title": "Later"])
            let next = try await events.until { $0.type == "metrics" || $0.data["title"] == "Later" }.last
            #expect(next?.type == "chat.updated")
        }
    }
}
