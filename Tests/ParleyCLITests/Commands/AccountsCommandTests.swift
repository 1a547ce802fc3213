// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyJSON
import ParleyTestSupport
import Synchronization
import Testing

@Suite("parley accounts")
struct AccountsCommandTests {
    /// A server with one calendar of one event.
    private static func answer(_ request: WebServerRequest) -> WebServerReply {
        func multistatus(_ content: String) -> WebServerReply {
            WebServerReply(
                207,
                body: Data(
                    "<multistatus xmlns=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">\(content)</multistatus>"
                        .utf8))
        }
        func response(_ href: String, _ properties: String) -> String {
            "<response><href>\(href)</href><propstat><prop>\(properties)</prop></propstat></response>"
        }
        guard request.headers["authorization"] == "Basic bWU6c2VjcmV0" else { return WebServerReply(401) }
        let type = "<resourcetype><collection/><C:calendar/></resourcetype><displayname>Work</displayname>"
        switch (request.method, request.path, request.headers["depth"]) {
        case ("PROPFIND", "/cal/", "0"): return multistatus(response("/cal/", type))
        case ("PROPFIND", "/cal/", "1"):
            return multistatus(response("/cal/", type) + response("/cal/a.ics", "<getetag>\"1\"</getetag>"))
        case ("GET", "/cal/a.ics", _):
            return WebServerReply(
                200, headers: ["ETag": "\"1\""], body: Data("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n".utf8))
        case ("PUT", "/cal/b.ics", _): return WebServerReply(201, headers: ["ETag": "\"2\""])
        default: return WebServerReply(404)
        }
    }

    @Test("an account is added, listed, synchronised and removed, and its folder stays")
    func life() async throws {
        let server = try WebServer(answer: Self.answer)
        defer { withExtendedLifetime(server) {} }
        let parley = try ParleyProcess()
        try parley.write("secret\n", to: "password")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: parley.directory.appending(path: "password").path)
        var outcome = try await parley.run(
            "accounts", "add", server.root + "/cal/", "--user", "me", "--password-file", "password")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("server added\n  server-cal  Work  (VEVENT, VTODO)"))
        outcome = try await parley.run("accounts", "sync")
        #expect(outcome.text == "server: 1 received, 0 removed, 0 sent, 0 deleted on the server\n")
        let list = try JSONValue(parsing: try await parley.run("accounts", "list", "--json").text)
        #expect(list["new_events"] == "server-cal")
        let path = try #require(list["accounts"]?[0]?["collections"]?[0]?["path"]?.string)
        #expect(FileManager.default.fileExists(atPath: path + "/a.ics"))
        try Data("BEGIN:VCALENDAR\r\nX:1\r\nEND:VCALENDAR\r\n".utf8).write(to: URL(filePath: path + "/b.ics"))
        let report = try JSONValue(parsing: try await parley.run("accounts", "sync", "--json").text)
        #expect(report["collections"]?[0]?["sent"] == 1)
        outcome = try await parley.run("accounts", "use", "personal")
        #expect(outcome.text == "New events go to personal, new reminders to personal.\n")
        outcome = try await parley.run("accounts", "remove", "server")
        #expect(outcome.text == "server removed\n  kept: \(path)\n")
        #expect(FileManager.default.fileExists(atPath: path + "/a.ics"))
        #expect(try await parley.run("accounts", "sync").status == 1)
    }

    @Test("reminders of an account are synchronised first; without its server what is known here is shown")
    func remind() async throws {
        let title = Mutex("Water the plants")
        let server = try WebServer { request in
            if request.path == "/cal/a.ics", request.method == "GET" {
                let text =
                    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VTODO\r\nUID:a\r\n"
                    + "DTSTAMP:20260101T000000Z\r\nSUMMARY:\(title.withLock { $0 })\r\nEND:VTODO\r\n"
                    + "END:VCALENDAR\r\n"
                return WebServerReply(200, headers: ["ETag": "\"1\""], body: Data(text.utf8))
            }
            return Self.answer(request)
        }
        let parley = try ParleyProcess()
        try parley.write(#"{"calendars": "\#(parley.directory.path)/mine"}"#, to: "settings.json")
        var outcome = try await parley.run(
            "accounts", "add", server.root + "/cal/", "--user", "me", "--password-command", "echo secret")
        #expect(outcome.status == 0, "\(outcome.errors)")
        outcome = try await parley.run("remind", "--offline")
        #expect(outcome.text == "Nothing is due.\n" && outcome.errors.isEmpty)
        outcome = try await parley.run("remind")
        #expect(outcome.text.contains("Water the plants") && outcome.errors.isEmpty, "\(outcome.errors)")
        // The account's folder is where the settings say.
        let file = parley.directory.appending(path: "mine/server-cal/a.ics")
        #expect(FileManager.default.fileExists(atPath: file.path))
        let changed = try String(contentsOf: file, encoding: .utf8).replacing("Water", with: "Feed")
        try Data(changed.utf8).write(to: file)
        try parley.write(
            try String(contentsOf: parley.directory.appending(path: "accounts.json"), encoding: .utf8)
                .replacing("echo secret", with: "false"), to: "accounts.json")
        outcome = try await parley.run("remind")
        #expect(outcome.status == 0 && outcome.text.contains("Feed the plants"))
        #expect(outcome.errors.contains("password"), "\(outcome.errors)")
        withExtendedLifetime(server) {}
    }

    @Test("a wrong password, a server that is away and wrong usage have their messages and statuses")
    func failures() async throws {
        let server = try WebServer(answer: Self.answer)
        let parley = try ParleyProcess()
        var outcome = try await parley.run(
            "accounts", "add", server.root + "/cal/", "--user", "me", "--password-command", "echo hunter2")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("does not accept the user and the password"))
        #expect(!outcome.errors.contains("hunter2"))
        outcome = try await parley.run("accounts", "add", "https://dav.example.org/", "--user", "me")
        #expect(outcome.status == 1 && outcome.errors.contains("set PARLEY_PASSWORD_EXAMPLE"), "\(outcome.errors)")
        outcome = try await parley.run("accounts", "add", "http://dav.example.org/", "--user", "me")
        #expect(outcome.status == 1 && outcome.errors.contains("unencrypted; use https"), "\(outcome.errors)")
        outcome = try await parley.run("accounts", "add", "https://me:hunter2@dav.example.org/")
        #expect(outcome.status == 1 && !outcome.errors.contains("hunter2"))
        for arguments in [
            ["accounts", "add", "https://x.org", "--password-env", "X"], ["accounts", "sync", "--every", "1"],
            ["accounts", "add", "https://x.org", "--user", "u", "--password-env", "X", "--password-file", "y"],
        ] { #expect(try await parley.run(arguments).status == 2) }
        #expect(try await parley.run("accounts", "use", "nothing").status == 1)
        #expect(try await parley.run("accounts").status == 0)
        withExtendedLifetime(server) {}
    }
}
