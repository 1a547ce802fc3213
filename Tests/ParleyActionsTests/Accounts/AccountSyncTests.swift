// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

@Suite("AccountSync")
struct AccountSyncTests {
    @Test("collections are found from the address over the principal, and have folders of their own")
    func discovery() async throws {
        let bench = try SyncBench()
        let report = try await bench.whole(looksForNew: true)
        #expect(report.isComplete, "\(report.problem ?? "")")
        let found = bench.folders.mirrored("work")
        #expect(found.map(\.folder) == ["work-cal"])
        #expect(found.map(\.title) == ["Work & play"])
        #expect(found.map(\.components) == [["VEVENT"]])
        #expect(found.map(\.isReadOnly) == [false])
        #expect(found.map(\.tellsChanges) == [true])
        // The second time they are known.
        _ = bench.server.takeMethods()
        try await bench.sync()
        #expect(bench.server.takeMethods() == ["REPORT"])
    }

    @Test("a folder that is there already is not taken")
    func takenFolder() async throws {
        let bench = try SyncBench()
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        try bench.write("mine.ics", SyncBench.event("mine"))
        bench.server.write("a.ics", SyncBench.event("a"))
        try await bench.whole(looksForNew: true)
        #expect(bench.folders.mirrored("work").map(\.folder) == ["work-cal-2"])
        #expect(bench.files == ["mine.ics": SyncBench.event("mine")])
        #expect(bench.server.texts.count == 1)
    }

    @Test("an account that is added again finds its folder again")
    func addedAgain() async throws {
        let bench = try SyncBench()
        bench.server.write("a.ics", SyncBench.event("a"))
        try await bench.whole(looksForNew: true)
        try FileManager.default.removeItem(at: bench.folders.state(of: "work"))
        try bench.write("b.ics", SyncBench.event("b", "b"))
        let report = try #require(try await bench.whole(looksForNew: true).collections.first)
        #expect(bench.folders.mirrored("work").map(\.folder) == ["work-cal"])
        #expect(report.sent == 1 && report.received == 0 && report.conflicts.isEmpty)
        #expect(bench.files == bench.server.texts)
    }

    @Test("a collection that is gone from the server keeps its folder")
    func goneCollection() async throws {
        let bench = try SyncBench()
        bench.server.write("a.ics", SyncBench.event("a"))
        try await bench.whole(looksForNew: true)
        bench.server.state.withLock { $0.answers["PROPFIND /home/"] = ServerInMemory.multistatus([]) }
        let report = try await bench.whole(looksForNew: true)
        #expect(report.problem == "dav.example has no calendars or address books at this address.")
        #expect(bench.files == ["a.ics": SyncBench.event("a")])
    }

    @Test(
        "a server that names another one is not followed, and gets no credentials there",
        arguments: ["https://evil.example/me/", "//evil.example/me/", "http://dav.example/me/"])
    func otherServer(href: String) async throws {
        let bench = try SyncBench()
        let property = "<d:current-user-principal><d:href>\(href)</d:href></d:current-user-principal>"
        let answer = ServerInMemory.multistatus([
            "<d:response><d:href>/</d:href><d:propstat><d:prop>\(property)</d:prop></d:propstat></d:response>"
        ])
        bench.server.state.withLock { state in
            state.answers = ["PROPFIND /": answer, "PROPFIND /.well-known/caldav": HTTPAnswer(status: 404)]
        }
        let report = try await bench.whole(looksForNew: true)
        #expect(report.problem?.contains("another server") == true)
        bench.server.state.withLock { state in
            #expect(state.requests.allSatisfy { $0.url.host() == "dav.example" && !$0.followsRedirects })
            state.answers = [
                "PROPFIND /.well-known/caldav": HTTPAnswer(status: 301, headers: ["Location": href])
            ]
        }
        #expect(try await bench.whole(looksForNew: true).problem?.contains("another server") == true)
    }

    @Test("answers that are hostile or broken are told of and change nothing")
    func hostile() async throws {
        let bomb = "<!DOCTYPE a [<!ENTITY b \"\(String(repeating: "x", count: 1_000))\">]><a>&b;</a>"
        let deep = String(repeating: "<a>", count: 10_000)
        for body in [bomb, deep, "", "<html>Log in</html>", "\u{0}"] {
            let bench = try SyncBench()
            bench.server.write("a.ics", SyncBench.event("a"))
            try await bench.sync()
            bench.server.state.withLock {
                $0.answers["REPORT /home/cal/"] = HTTPAnswer(status: 207, body: Data(body.utf8))
            }
            let report = try await bench.sync()
            #expect(report.problem != nil && !report.isOffline)
            #expect(bench.files == ["a.ics": SyncBench.event("a")])
        }
    }

    @Test("nothing that is told has the password, nor do the files")
    func secrets() async throws {
        let bench = try SyncBench()
        bench.server.state.withLock { $0.answers["PROPFIND /.well-known/caldav"] = HTTPAnswer(status: 401) }
        let report = try await bench.whole(looksForNew: true)
        #expect(report.problem == "dav.example does not accept the user and the password.")
        try AccountSettings.change(at: bench.folders.settings) { $0.accounts = [bench.account] }
        bench.server.state.withLock { $0.answers = [:] }
        try await bench.whole(looksForNew: true)
        let tag = Data("me:secret word".utf8).base64EncodedString()
        let sent = bench.server.state.withLock { $0.requests.map { $0.headers["Authorization"] } }
        #expect(Set(sent) == ["Basic \(tag)"])
        let files = try #require(FileManager.default.enumerator(atPath: bench.home.url.path))
        var count = 0
        while let name = files.nextObject() as? String {
            guard let data = try? Data(contentsOf: bench.home.url.appending(path: name)) else { continue }
            count += 1
            let text = String(decoding: data, as: UTF8.self)
            #expect(!text.contains("secret word") && !text.contains(tag), "\(name)")
        }
        #expect(count > 3)
    }

    @Test("over a real connection: redirects of well-known addresses, conditions, bodies and entity tags")
    func connection() async throws {
        let memory = ServerInMemory()
        memory.write("a.ics", SyncBench.event("a"))
        let redirected = Mutex(0)
        let server = try WebServer { request in
            if request.path == "/.well-known/caldav" {
                redirected.withLock { $0 += 1 }
                return WebServerReply(301, headers: ["Location": "/"])
            }
            guard let url = URL(string: "https://dav.example" + request.path) else { return WebServerReply(400) }
            let sent = HTTPRequest(
                url, method: request.method, headers: HTTPHeaders(request.headers), body: request.body)
            // The server in memory never suspends.
            let answer = memory.answer(to: sent)
            var headers: [String: String] = [:]
            headers["ETag"] = answer.headers["ETag"]
            return WebServerReply(answer.status, headers: headers, body: answer.body)
        }
        defer { withExtendedLifetime(server) {} }
        let home = try TemporaryDirectory()
        let account = try Account(name: "loop", url: try server.url("/"), user: "me")
        let sync = AccountSync(
            account, in: AccountFolders(home.url), http: URLSessionClient(clock: ManualClock()),
            environment: ["PARLEY_PASSWORD_LOOP": "p"])
        #expect(try await sync.run().isComplete)
        #expect(redirected.withLock { $0 } == 1)
        let folder = home.url.appending(path: "calendars/loop-cal")
        #expect(
            try String(contentsOf: folder.appending(path: "a.ics"), encoding: .utf8) == SyncBench.event("a"))
        try Data(SyncBench.event("edited").utf8).write(to: folder.appending(path: "a.ics"))
        try Data(SyncBench.event("b", "b").utf8).write(to: folder.appending(path: "b.ics"))
        #expect(try await sync.run(looksForNew: false).collections.first?.sent == 2)
        #expect(memory.texts == ["a.ics": SyncBench.event("edited"), "b.ics": SyncBench.event("b", "b")])
        try FileManager.default.removeItem(at: folder.appending(path: "b.ics"))
        #expect(try await sync.run(looksForNew: false).collections.first?.deleted == 1)
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Basic bWU6cA==" })
    }
}
