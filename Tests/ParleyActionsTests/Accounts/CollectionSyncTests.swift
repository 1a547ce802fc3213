// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import ParleyTestSupport
import Synchronization
import Testing

/// A folder that is synchronised with a server in memory.
struct SyncBench {
    let server = ServerInMemory()
    let home: TemporaryDirectory
    let folders: AccountFolders
    let account: Account

    init() throws {
        home = try TemporaryDirectory()
        folders = AccountFolders(home.url)
        account = try Account(name: "work", url: try #require(URL(string: "https://dav.example/")), user: "me")
    }

    var folder: URL { home.url.appending(path: "calendars/work-cal", directoryHint: .isDirectory) }
    var stateFile: URL { home.url.appending(path: "accounts/work/calendar-work-cal.json") }

    /// Synchronises; the only report of a collection.
    @discardableResult
    func sync(_ options: CollectionSync.Options = .init(), looksForNew: Bool = false) async throws -> CollectionReport {
        let report = try await whole(options, looksForNew: looksForNew)
        return try #require(report.collections.first, "\(report.problem ?? "")")
    }

    @discardableResult
    func whole(_ options: CollectionSync.Options = .init(), looksForNew: Bool = false) async throws -> AccountReport {
        let sync = AccountSync(
            account, in: folders, http: server, environment: ["PARLEY_PASSWORD_WORK": "secret word"])
        return try await sync.run(looksForNew: looksForNew, options: options)
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: folder.appending(path: name)) }

    /// The texts of all files, by name.
    var files: [String: String] { Self.texts(folder, suffix: ".ics") }

    /// The texts of what was put aside.
    var kept: [String] {
        Self.texts(folders.conflicts.appending(path: "work-cal"), suffix: ".ics").values.sorted()
    }

    private static func texts(_ folder: URL, suffix: String) -> [String: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var texts: [String: String] = [:]
        for name in names where name.hasSuffix(suffix) && !name.hasPrefix(".") {
            texts[name] = (try? Data(contentsOf: folder.appending(path: name))).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return texts
    }

    /// An event with a title.
    static func event(_ title: String, _ uid: String = "a") -> String {
        calendar("UID:\(uid)\nDTSTART:20260302T090000Z\nSUMMARY:\(title)").replacing("\n", with: "\r\n")
    }
}

@Suite("CollectionSync")
struct CollectionSyncTests {
    private func event(_ title: String, _ uid: String = "a") -> String { SyncBench.event(title, uid) }

    @Test(
        "items come with every byte, with the name and the colour of their collection, and then nothing is left to do")
    func first() async throws {
        let bench = try SyncBench()
        for name in ["a", "b", "c d"] {
            bench.server.write("\(name).ics".replacing(" ", with: "%20"), event(name, name))
        }
        let report = try await bench.sync()
        #expect(report.received == 3)
        #expect(bench.files == ["a.ics": event("a", "a"), "b.ics": event("b", "b"), "c d.ics": event("c d", "c d")])
        #expect(try String(contentsOf: bench.folder.appending(path: "displayname"), encoding: .utf8) == "Work & play")
        #expect(try String(contentsOf: bench.folder.appending(path: "color"), encoding: .utf8) == "#FF8800")
        _ = bench.server.takeMethods()
        #expect(try await bench.sync().hasChanges == false)
        #expect(bench.server.takeMethods() == ["REPORT"])
    }

    @Test(
        "what is made, changed and deleted goes both ways, with a condition on every write", arguments: [true, false])
    func bothWays(tellsChanges: Bool) async throws {
        let bench = try SyncBench()
        bench.server.state.withLock { $0.tellsChanges = tellsChanges }
        for name in ["a", "b", "c", "d"] { bench.server.write("\(name).ics", event(name, name)) }
        try await bench.sync()
        try bench.write("new.ics", event("new", "new"))
        try bench.write("a.ics", event("a here", "a"))
        try bench.remove("b.ics")
        bench.server.write("c.ics", event("c there", "c"))
        bench.server.remove("d.ics")
        bench.server.write("e.ics", event("e", "e"))
        let report = try await bench.sync()
        #expect(report.received == 2 && report.removed == 1 && report.sent == 2 && report.deleted == 1)
        #expect(report.conflicts.isEmpty && report.unsent.isEmpty && report.problem == nil)
        #expect(bench.files == bench.server.texts)
        #expect(
            bench.files == [
                "a.ics": event("a here", "a"), "c.ics": event("c there", "c"), "e.ics": event("e", "e"),
                "new.ics": event("new", "new"),
            ])
        let writes = bench.server.state.withLock { $0.requests.filter { ["PUT", "DELETE"].contains($0.method) } }
        #expect(writes.count == 3)
        #expect(writes.allSatisfy { $0.headers["If-Match"] != nil || $0.headers["If-None-Match"] == "*" })
        #expect(try await bench.sync().hasChanges == false)
    }

    @Test("what both sides changed is the server's, and ours is kept and told of, once")
    func conflict() async throws {
        let bench = try SyncBench()
        for name in ["a", "b", "c"] { bench.server.write("\(name).ics", event(name, name)) }
        try await bench.sync()
        try bench.write("a.ics", event("ours", "a"))
        bench.server.write("a.ics", event("theirs", "a"))
        try bench.write("b.ics", event("ours too", "b"))
        bench.server.remove("b.ics")
        try bench.remove("c.ics")
        bench.server.write("c.ics", event("c there", "c"))
        let report = try await bench.sync()
        #expect(report.conflicts.map(\.item) == ["work-cal/a.ics", "work-cal/c.ics", "work-cal/b.ics"])
        #expect(report.conflicts.map(\.kind) == [.changed, .deletedHere, .deletedThere])
        #expect(bench.files == ["a.ics": event("theirs", "a"), "c.ics": event("c there", "c")])
        #expect(bench.files == bench.server.texts)
        #expect(bench.kept == [event("ours", "a"), event("ours too", "b")])
        let kept = try #require(report.conflicts[0].kept)
        #expect(try String(contentsOf: kept, encoding: .utf8) == event("ours", "a"))
        #expect(bench.folders.keptFiles().count == 2)
        let again = try await bench.sync()
        #expect(again.conflicts.isEmpty && !again.hasChanges)
    }

    @Test("what is known of a collection and cannot be read now is not taken for nothing", arguments: [true, false])
    func unreadable(isMark: Bool) async throws {
        let bench = try SyncBench()
        for name in ["a", "b"] { bench.server.write("\(name).ics", event(name, name)) }
        try await bench.sync()
        bench.server.remove("b.ics")
        // The system does not say what is behind a link that leads to itself.
        let file = isMark ? bench.folder.appending(path: ".parley-account") : bench.stateFile
        let kept = bench.home.url.appending(path: "kept")
        try FileManager.default.moveItem(at: file, to: kept)
        #expect(symlink(file.path, file.path) == 0)
        #expect(try await bench.sync().problem != nil)
        #expect(bench.server.texts == ["a.ics": event("a", "a")])
        #expect(unlink(file.path) == 0)
        try FileManager.default.moveItem(at: kept, to: file)
        #expect(try await bench.sync().removed == 1)
        #expect(bench.files == bench.server.texts)
    }

    @Test("an edit between our look and our write is not overwritten")
    func race() async throws {
        let bench = try SyncBench()
        bench.server.write("a.ics", event("a"))
        bench.server.write("b.ics", event("b", "b"))
        try await bench.sync()
        try bench.write("a.ics", event("ours"))
        try bench.remove("b.ics")
        try bench.write("new.ics", event("ours new", "n"))
        let isDone = Mutex(false)
        bench.server.state.withLock { state in
            state.before = { [server = bench.server] _, request in
                let isFirst = isDone.withLock { isDone in
                    defer { isDone = isDone || request.method == "PUT" }
                    return !isDone
                }
                guard request.method == "PUT", isFirst else { return }
                server.write("a.ics", SyncBench.event("theirs", "a"))
                server.write("b.ics", SyncBench.event("b there", "b"))
                server.write("new.ics", SyncBench.event("their new", "n"))
            }
        }
        let report = try await bench.sync()
        #expect(report.conflicts.map(\.kind) == [.changed, .deletedHere, .changed])
        #expect(
            bench.server.texts == [
                "a.ics": event("theirs"), "b.ics": event("b there", "b"), "new.ics": event("their new", "n"),
            ])
        #expect(bench.files == bench.server.texts)
        #expect(bench.kept == [event("ours"), event("ours new", "n")].sorted())
    }

    @Test("a server that writes anew what it is sent, with and without an entity tag, leads to no second write")
    func rewriting() async throws {
        for givesTags in [true, false] {
            let bench = try SyncBench()
            bench.server.state.withLock { state in
                state.givesTags = givesTags
                state.rewriting = { data in
                    // It moves the title, and names itself.
                    let text = String(decoding: data, as: UTF8.self).replacing("SUMMARY:new\r\n", with: "")
                        .replacing("UID:", with: "SUMMARY:new\r\nUID:")
                    return Data(text.replacing("-//Other//EN", with: "-//Server//EN").utf8)
                }
            }
            try await bench.sync()
            try bench.write("new.ics", event("new", "n"))
            #expect(try await bench.sync().sent == 1)
            #expect(bench.server.texts["new.ics"] != event("new", "n"))
            // Ours stays, so that undoing finds what it expects.
            #expect(bench.files == ["new.ics": event("new", "n")])
            _ = bench.server.takeMethods()
            #expect(try await bench.sync().hasChanges == false)
            // Neither does it after the state is lost.
            try FileManager.default.removeItem(at: bench.stateFile)
            #expect(try await bench.sync().hasChanges == false)
            #expect(bench.server.takeMethods().allSatisfy { ["REPORT", "GET"].contains($0) })
            #expect(bench.kept.isEmpty)
        }
    }

    @Test("a server that changes what it is sent wins")
    func changing() async throws {
        let bench = try SyncBench()
        bench.server.state.withLock { state in
            state.givesTags = false
            state.rewriting = { Data(String(decoding: $0, as: UTF8.self).replacing("new", with: "old").utf8) }
        }
        try await bench.sync()
        try bench.write("x.ics", event("new"))
        let report = try await bench.sync()
        #expect(report.sent == 1 && report.received == 1)
        #expect(bench.files == ["x.ics": event("old")])
    }

    @Test("a token that the server forgot leads to a whole comparison")
    func forgottenToken() async throws {
        let bench = try SyncBench()
        for name in ["a", "b", "c"] { bench.server.write("\(name).ics", event(name, name)) }
        try await bench.sync()
        bench.server.remove("a.ics")
        bench.server.write("b.ics", event("b there", "b"))
        try bench.write("c.ics", event("c here", "c"))
        bench.server.state.withLock { $0.firstToken = 1_000 }
        let report = try await bench.sync()
        #expect(report.received == 1 && report.removed == 1 && report.sent == 1)
        #expect(bench.files == bench.server.texts)
        #expect(report.conflicts.isEmpty)
    }

    @Test("an answer in parts is read to its end")
    func parts() async throws {
        let bench = try SyncBench()
        for number in 0..<25 { bench.server.write("\(number).ics", event("\(number)", "\(number)")) }
        bench.server.state.withLock { $0.page = 4 }
        var options = CollectionSync.Options()
        options.batch = 3
        #expect(try await bench.sync(options).received == 25)
        #expect(bench.files == bench.server.texts)
    }

    @Test("edits without a connection are sent later")
    func offline() async throws {
        let bench = try SyncBench()
        bench.server.write("a.ics", event("a"))
        try await bench.sync()
        try bench.write("a.ics", event("edited"))
        bench.server.state.withLock { $0.before = { _, _ in throw HTTPError(.unreachable, "no network") } }
        let report = try await bench.whole()
        #expect(report.isOffline && report.problem == "no network" && !report.isComplete)
        try bench.write("b.ics", event("b", "b"))
        #expect(try await bench.whole().isOffline)
        bench.server.state.withLock { $0.before = { _, _ in } }
        #expect(try await bench.sync().sent == 2)
        #expect(bench.files == bench.server.texts)
    }

    @Test("a collection that may only be read keeps what the server has, and ours is kept aside")
    func readOnly() async throws {
        let bench = try SyncBench()
        bench.server.state.withLock { $0.isReadOnly = true }
        for name in ["a", "b"] { bench.server.write("\(name).ics", event(name, name)) }
        try await bench.sync()
        try bench.write("a.ics", event("edited", "a"))
        try bench.remove("b.ics")
        try bench.write("c.ics", event("c", "c"))
        let report = try await bench.sync()
        #expect(bench.server.texts == ["a.ics": event("a", "a"), "b.ics": event("b", "b")])
        #expect(bench.files == bench.server.texts.merging(["c.ics": event("c", "c")]) { $1 })
        #expect(bench.kept == [event("edited", "a")])
        #expect(report.unsent == ["work-cal/c.ics: the collection may only be read"])
        #expect(!bench.server.takeMethods().contains("PUT"))
    }

    @Test("what the server does not take stays here and is told of")
    func refused() async throws {
        for status in [400, 403, 404, 409, 413, 507] {
            let bench = try SyncBench()
            try await bench.sync()
            try bench.write("a.ics", event("a"))
            bench.server.state.withLock { $0.answers["PUT /home/cal/a.ics"] = HTTPAnswer(status: status) }
            let report = try await bench.sync()
            #expect(report.unsent.first?.hasSuffix("(status \(status))") == true, "\(status) \(report)")
            #expect(bench.files == ["a.ics": event("a")])
            bench.server.state.withLock { $0.answers = [:] }
            #expect(try await bench.sync().sent == 1)
        }
    }

    @Test("a server that refuses an entity tag it gave itself does not take ours away")
    func weakTags() async throws {
        let bench = try SyncBench()
        bench.server.write("a.ics", event("a"))
        try await bench.sync()
        try bench.write("a.ics", event("edited"))
        bench.server.state.withLock { $0.answers["PUT /home/cal/a.ics"] = HTTPAnswer(status: 412) }
        let report = try await bench.sync()
        #expect(report.conflicts.isEmpty && report.unsent.count == 1)
        #expect(bench.files == ["a.ics": event("edited")])
    }

    @Test("files that vanish all at once are not deleted on the server; a folder that vanished is filled again")
    func vanished() async throws {
        let bench = try SyncBench()
        for number in 0..<30 { bench.server.write("\(number).ics", event("\(number)", "\(number)")) }
        try await bench.sync()
        for number in 0..<20 { try bench.remove("\(number).ics") }
        let report = try await bench.sync()
        #expect(report.deleted == 0 && report.notices.first?.hasPrefix("20 of the files") == true)
        #expect(bench.server.texts.count == 30)
        try FileManager.default.removeItem(at: bench.folder)
        #expect(try await bench.sync().received == 30)
        #expect(bench.files == bench.server.texts)
        for number in 0..<20 { try bench.remove("\(number).ics") }
        var options = CollectionSync.Options()
        options.deletesAny = true
        #expect(try await bench.sync(options).deleted == 20)
        #expect(bench.files == bench.server.texts)
    }

    @Test("items outside of the collection are not touched, whatever the server says")
    func outside() async throws {
        let bench = try SyncBench()
        try await bench.sync()
        let hrefs = [
            "/home/other/x.ics", "/home/cal/../x.ics", "https://evil.example/home/cal/x.ics", "/home/cal/d/x.ics",
        ]
        bench.server.state.withLock { state in
            state.tellsChanges = false
            state.answers["PROPFIND /home/cal/"] = ServerInMemory.multistatus(
                hrefs.map {
                    "<d:response><d:href>\($0)</d:href><d:propstat><d:prop><d:getetag>\"1\"</d:getetag></d:prop>"
                        + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
                })
            state.answers["REPORT /home/cal/"] = HTTPAnswer(status: 403)
        }
        let report = try await bench.sync()
        #expect(report.notices == ["The server names 4 items outside of work-cal; they are left out."])
        #expect(bench.files.isEmpty)
        let paths = bench.server.state.withLock { $0.requests.map { $0.url.path(percentEncoded: true) } }
        #expect(!paths.contains { $0.hasSuffix("x.ics") })
    }

    @Test("a server that compresses what it sends gives the entity tag of the item all the same")
    func compression() async throws {
        let bench = try SyncBench()
        bench.server.state.withLock { $0.compresses = true }
        bench.server.write("a.ics", event("a"))
        try await bench.sync()
        try bench.write("a.ics", event("edited"))
        let report = try await bench.sync()
        #expect(report.sent == 1 && report.conflicts.isEmpty)
        #expect(bench.server.texts == ["a.ics": event("edited")])
    }

    @Test(
        "an item that the server cannot say anything of, or leaves out of a list that is too long, stays here",
        arguments: [
            ("/home/cal/a.ics", "403 Forbidden"), ("/home/cal/a.ics", "500 Internal Server Error"),
            ("/home/cal/", "507 Insufficient Storage"),
        ])
    func failedResponses(href: String, status: String) async throws {
        let bench = try SyncBench()
        bench.server.write("a.ics", event("a"))
        try await bench.sync()
        bench.server.state.withLock { state in
            state.answers["PROPFIND /home/cal/"] = ServerInMemory.multistatus([
                "<d:response><d:href>\(href)</d:href><d:status>HTTP/1.1 \(status)</d:status></d:response>"
            ])
            state.answers["REPORT /home/cal/"] = HTTPAnswer(status: 403)
            state.answers["GET /home/cal/a.ics"] = HTTPAnswer(status: 403)
        }
        let report = try await bench.sync()
        #expect(report.removed == 0 && report.conflicts.isEmpty)
        #expect(bench.files == ["a.ics": event("a")])
        #expect(report.notices.count == (href.hasSuffix(".ics") ? 1 : 0))
        bench.server.state.withLock { $0.answers = [:] }
        #expect(try await bench.sync().hasChanges == false)
        #expect(bench.files == ["a.ics": event("a")])
    }

    @Test("names that no file may have become others")
    func names() async throws {
        let bench = try SyncBench()
        let hrefs = ["CON.ics", "a%2F..%2Fb.ics", ".hidden.ics", "no-ending", "A.ics", "a.ics", "x%3Ay.ics"]
        for (index, name) in hrefs.enumerated() { bench.server.write(name, event("\(index)", "\(index)")) }
        #expect(try await bench.sync().received == hrefs.count)
        #expect(bench.files.count == hrefs.count)
        #expect(Set(bench.files.values) == Set(bench.server.texts.values))
        #expect(bench.files.keys.filter { $0.lowercased() == "a.ics" }.count == 1)
        #expect(try await bench.sync().hasChanges == false)
        let name = try #require(bench.files.first { $0.value == event("1", "1") }?.key)
        try bench.write(name, event("edited", "1"))
        #expect(try await bench.sync().sent == 1)
        #expect(bench.server.texts["a%2F..%2Fb.ics"] == event("edited", "1"))
    }
}
