// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import Synchronization
import Testing

import struct ParleyRuntime.SplitMix64

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

    /// Lets the server write anew what it is sent, as servers do.
    private func rewrites(_ bench: SyncBench) {
        bench.server.state.withLock { state in
            state.rewriting = {
                Data(String(decoding: $0, as: UTF8.self).replacing("-//Other//EN", with: "-//Server//EN").utf8)
            }
        }
    }

    /// Ends the next synchronisation at its first request of a method, which the server deals with only later.
    ///
    /// - Returns: what the server was sent.
    private func endAt(_ method: String, _ bench: SyncBench) async throws -> HTTPRequest {
        let sent = Mutex<HTTPRequest?>(nil)
        bench.server.state.withLock { state in
            state.before = { _, request in
                guard request.method == method else { return }
                sent.withLock { $0 = request }
                throw Killed()
            }
        }
        await #expect(throws: Killed.self) { try await bench.sync() }
        bench.server.state.withLock { $0.before = { _, _ in } }
        return try #require(sent.withLock { $0 })
    }

    @Test("what the server takes while later synchronisations run is no conflict", arguments: 1...5, [true, false])
    func lateAnswer(ended: Int, isNew: Bool) async throws {
        let bench = try SyncBench()
        if ended != 1 { rewrites(bench) }
        if !isNew { bench.server.write("a.ics", event("a")) }
        try await bench.sync()
        var requests: [HTTPRequest] = []
        for number in 0..<ended {
            try bench.write("a.ics", event("a \(number)"))
            requests.append(try await endAt("PUT", bench))
        }
        try bench.write("a.ics", event("a last"))
        // The server deals with the first of them between our look and our write.
        let late = Mutex<HTTPRequest?>(requests[0])
        bench.server.state.withLock { state in
            state.before = { [server = bench.server] _, request in
                guard request.method == "PUT", let first = late.withLock({ $0.take() }) else { return }
                #expect(server.answer(to: first).status < 300)
            }
        }
        let report = try await bench.sync()
        #expect(report.conflicts.isEmpty && report.unsent.isEmpty && report.problem == nil)
        #expect(bench.files == ["a.ics": event("a last")] && bench.kept.isEmpty)
        #expect(bench.server.texts["a.ics"]?.contains("SUMMARY:a last") == true)
        #expect(try await bench.sync().hasChanges == false)
        // The others come too late.
        for request in requests.dropFirst() { #expect(bench.server.answer(to: request).status == 412) }
    }

    @Test("what is undone after it was sent stays undone, whenever the server takes it")
    func undoneWhileSent() async throws {
        let bench = try SyncBench()
        bench.server.write("a.ics", event("a"))
        rewrites(bench)
        try await bench.sync()
        try bench.write("a.ics", event("changed"))
        let request = try await endAt("PUT", bench)
        try bench.write("a.ics", event("a"))
        try await bench.sync()
        #expect(bench.server.answer(to: request).status < 300)
        let report = try await bench.sync()
        #expect(report.sent == 1 && report.conflicts.isEmpty && bench.kept.isEmpty)
        #expect(bench.files == ["a.ics": event("a")])
        #expect(bench.server.texts["a.ics"]?.contains("SUMMARY:a\r\n") == true)
    }

    @Test("a deletion that is undone stays undone, whenever the server deletes", arguments: [true, false])
    func undoneDeletion(isLate: Bool) async throws {
        let bench = try SyncBench()
        for name in ["a", "b"] { bench.server.write("\(name).ics", event(name, name)) }
        try await bench.sync()
        try bench.remove("a.ics")
        let request = try await endAt("DELETE", bench)
        try bench.write("a.ics", event("a", "a"))
        if isLate { try await bench.sync() }
        #expect(bench.server.answer(to: request).status == 204)
        let report = try await bench.sync()
        #expect(report.sent == 1 && report.removed == 0 && report.conflicts.isEmpty)
        #expect(bench.files == ["a.ics": event("a", "a"), "b.ics": event("b", "b")])
        #expect(bench.server.texts == bench.files)
    }

    @Test("what is deleted here after it was sent is deleted there, and is no conflict", arguments: [true, false])
    func deletedWhileSent(isNew: Bool) async throws {
        let bench = try SyncBench()
        if !isNew { bench.server.write("a.ics", event("a")) }
        rewrites(bench)
        try await bench.sync()
        try bench.write("a.ics", event("changed"))
        let request = try await endAt("PUT", bench)
        #expect(bench.server.answer(to: request).status < 300)
        try bench.remove("a.ics")
        for _ in 0..<2 { #expect(try await bench.sync().conflicts.isEmpty) }
        #expect(bench.files.isEmpty && bench.server.texts.isEmpty)
    }

    /// What another client does after a synchronisation has put the server's content into the folder, and ended before
    /// that was recorded.
    enum Afterwards: CaseIterable { case nothing, changed, deleted }

    @Test(
        "what was received before it ended does not count as changed here", arguments: Afterwards.allCases,
        [true, false])
    func received(afterwards: Afterwards, isNew: Bool) async throws {
        let bench = try SyncBench()
        for name in isNew ? ["z"] : ["a", "b", "z"] { bench.server.write("\(name).ics", event(name, name)) }
        try await bench.sync()
        for number in 0..<3 {
            for name in ["a", "b"] { bench.server.write("\(name).ics", event("\(name) \(number)", name)) }
            // A folder in its place cannot be replaced, which ends the synchronisation there.
            try? bench.remove("b.ics")
            try FileManager.default.createDirectory(
                at: bench.folder.appending(path: "b.ics"), withIntermediateDirectories: true)
            #expect(try await bench.sync().problem != nil)
            #expect(bench.files["a.ics"] == event("a \(number)", "a"))
            try bench.remove("b.ics")
        }
        if !isNew { try bench.write("b.ics", event("b", "b")) }
        switch afterwards {
        case .nothing: break
        case .changed: bench.server.write("a.ics", event("a there", "a"))
        case .deleted: bench.server.remove("a.ics")
        }
        let report = try await bench.sync()
        #expect(report.conflicts.isEmpty && report.problem == nil && report.sent == 0 && bench.kept.isEmpty)
        #expect(bench.files == bench.server.texts)
        #expect((bench.server.texts["a.ics"] == nil) == (afterwards == .deleted))
        #expect(try await bench.sync().hasChanges == false)
    }

    @Test(
        "edits on one side alone make no conflict, wherever it ends and whenever the server does what it was sent",
        arguments: 0..<8)
    func oneSide(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let bench = try SyncBench()
        bench.server.state.withLock { $0.tellsChanges = seed % 2 == 0 }
        try await bench.sync()
        let waiting = Mutex<[HTTPRequest]>([])
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let name = "\(Int.random(in: 0..<4, using: &random)).ics"
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try? bench.remove(name)
                } else {
                    try bench.write(name, event("\(round) \(UInt32.random(in: 0 ... .max, using: &random))", name))
                }
            }
            let last = Int.random(in: 0..<6, using: &random) + bench.server.state.withLock { $0.requests.count }
            // What the server has not dealt with yet, it deals with before this request.
            let due = Int.random(in: 0..<6, using: &random) + bench.server.state.withLock { $0.requests.count }
            bench.server.state.withLock { [isLate = Bool.random(using: &random), server = bench.server] state in
                state.before = { number, request in
                    if number == due {
                        for one in waiting.withLock({ waiting in
                            defer { waiting = [] }; return waiting
                        }) {
                            _ = server.answer(to: one)
                        }
                    }
                    guard number >= last else { return }
                    if !isLate { _ = server.answer(to: request) }
                    if isLate { waiting.withLock { $0.append(request) } }
                    throw Killed()
                }
            }
            if let report = try? await bench.sync() { #expect(report.conflicts.isEmpty, "round \(round)") }
        }
        bench.server.state.withLock { $0.before = { _, _ in } }
        for _ in 0..<2 { #expect(try await bench.sync().conflicts.isEmpty) }
        #expect(bench.files == bench.server.texts && bench.kept.isEmpty)
        #expect(!bench.files.isEmpty)
    }

    @Test("random edits on both sides, ended at random places, leave both the same and lose no edit", arguments: 0..<6)
    func random(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
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
