// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import Synchronization
import Testing

/// What a synchronisation does that is ended between any two steps.
@Suite("A synchronisation that ends early")
struct SyncCrashTests {
    private struct Killed: Error {}

    private func event(_ title: String, _ uid: String = "a") -> String { SyncBench.event(title, uid) }

    /// Changes of every kind on both sides.
    private func prepare() async throws -> SyncBench {
        let bench = try SyncBench()
        for name in ["a", "b", "c", "d", "e"] { bench.server.write("\(name).ics", event(name, name)) }
        try await bench.sync()
        try bench.write("a.ics", event("a here", "a"))
        try bench.remove("b.ics")
        bench.server.write("c.ics", event("c there", "c"))
        bench.server.remove("d.ics")
        try bench.write("e.ics", event("e here", "e"))
        bench.server.write("e.ics", event("e there", "e"))
        try bench.write("new.ics", event("new", "n"))
        bench.server.write("other.ics", event("other", "o"))
        _ = bench.server.takeMethods()
        return bench
    }

    @Test("what was sent before it ended is no conflict with a later change here", arguments: 0..<8)
    func changedAfterwards(last: Int) async throws {
        let bench = try await prepare()
        bench.server.state.withLock { state in
            state.after = { number, _ in if number == last { throw Killed() } }
        }
        do { try await bench.sync() } catch is Killed {}
        bench.server.state.withLock { $0.after = { _, _ in } }
        try bench.write("a.ics", event("a again", "a"))
        try bench.write("new.ics", event("new again", "n"))
        let report = try await bench.sync()
        #expect(report.unsent.isEmpty && report.problem == nil)
        #expect(bench.files == bench.server.texts)
        #expect(bench.files["a.ics"] == event("a again", "a"))
        #expect(bench.files["new.ics"] == event("new again", "n"))
        #expect(bench.kept == [event("e here", "e")])
    }

    @Test("it loses nothing and sends nothing twice, wherever a request is the last", arguments: [true, false])
    func requests(isDone: Bool) async throws {
        for last in 0..<40 {
            let bench = try await prepare()
            bench.server.state.withLock { state in
                let kill: @Sendable (Int, HTTPRequest) throws -> Void = { number, _ in
                    if number == last { throw Killed() }
                }
                if isDone { state.after = kill } else { state.before = kill }
            }
            let wasKilled: Bool
            do {
                try await bench.sync()
                wasKilled = false
            } catch is Killed {
                wasKilled = true
            }
            bench.server.state.withLock { ($0.before, $0.after) = ({ _, _ in }, { _, _ in }) }
            let report = try await bench.sync()
            #expect(report.unsent.isEmpty && report.problem == nil)
            #expect(bench.files == bench.server.texts)
            #expect(
                bench.files == [
                    "a.ics": event("a here", "a"), "c.ics": event("c there", "c"), "e.ics": event("e there", "e"),
                    "new.ics": event("new", "n"), "other.ics": event("other", "o"),
                ], "after \(last) requests")
            #expect(bench.kept == [event("e here", "e")])
            // Each write had its effect once: a condition kept it from a second one, or it was not sent again.
            let log = bench.server.state.withLock { $0.log }
            for name in ["a", "b", "new"] {
                let count = log.filter { $0 == ServerInMemory.folder + name + ".ics" }.count
                #expect(count == (name == "new" ? 1 : 2), "\(name) after \(last) requests")
            }
            if !wasKilled {
                // A report, the contents, two items and a deletion.
                #expect(last == 5)
                return
            }
        }
        Issue.record("The synchronisation had no end.")
    }

    @Test("it loses nothing if its state is an older one, is damaged or is gone")
    func states() async throws {
        for number in 0..<4 {
            let bench = try await prepare()
            let old = try Data(contentsOf: bench.stateFile)
            try await bench.sync()
            let files = bench.files
            switch number {
            case 0: try old.write(to: bench.stateFile)
            case 1: try old.prefix(old.count / 2).write(to: bench.stateFile)
            case 2: try FileManager.default.removeItem(at: bench.stateFile)
            default:
                try Data("{\"mark\":\"\",\"records\":{\"a.ics\":{\"href\":\"../x\"}}}".utf8).write(to: bench.stateFile)
            }
            let report = try await bench.sync()
            #expect(report.conflicts.isEmpty && report.problem == nil && !report.hasChanges)
            #expect(bench.files == files)
            #expect(bench.server.texts == files)
        }
    }

    @Test("random edits on both sides, ended at random places, leave both the same and lose no edit", arguments: 0..<6)
    func random(seed: UInt64) async throws {
        var random = SeededGenerator(seed)
        let bench = try SyncBench()
        bench.server.state.withLock { [tells = seed % 2 == 0, gives = seed % 3 != 0] in
            ($0.tellsChanges, $0.givesTags) = (tells, gives)
        }
        try await bench.sync()
        var written: Set<String> = []
        for round in 0..<40 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let name = "\(Int.random(in: 0..<6, using: &random)).ics"
                let text = event("\(round) \(UInt32.random(in: 0 ... .max, using: &random))", name)
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    // What the user deletes is meant to be gone.
                    if let seen = bench.files[name] { written.remove(seen) }
                    try? bench.remove(name)
                case 1: if bench.server.texts[name] != nil { bench.server.remove(name) }
                case 2, 3: bench.server.write(name, text)
                default:
                    // An edit here is in the place of what the user saw.
                    if let seen = bench.files[name] { written.remove(seen) }
                    try bench.write(name, text)
                    written.insert(text)
                }
            }
            let last = Int.random(in: 0..<8, using: &random) + bench.server.state.withLock { $0.requests.count }
            bench.server.state.withLock { [isDone = Bool.random(using: &random)] state in
                let kill: @Sendable (Int, HTTPRequest) throws -> Void = { number, _ in
                    if number == last { throw Killed() }
                }
                (state.before, state.after) = isDone ? ({ _, _ in }, kill) : (kill, { _, _ in })
            }
            _ = try? await bench.sync()
        }
        bench.server.state.withLock { ($0.before, $0.after) = ({ _, _ in }, { _, _ in }) }
        try await bench.sync()
        #expect(try await bench.sync().hasChanges == false)
        #expect(bench.files == bench.server.texts)
        // What was written here and not replaced here went to the server at some time, or is kept.
        let sent = bench.server.state.withLock { state in
            Set(state.requests.filter { $0.method == "PUT" }.map { String(decoding: $0.body ?? Data(), as: UTF8.self) })
        }
        for text in written {
            #expect(sent.contains(text) || bench.kept.contains(text) || bench.files.values.contains(text))
        }
        #expect(!written.isEmpty)
    }
}

/// Random numbers that are the same in each run (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
