// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import ParleyFiles
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleyTestSupport
import Synchronization
import Testing

@Suite("The guard")
struct RequestGuardTests {
    private func head(_ host: String?, _ fields: [(String, String)] = []) -> HTTPRequest {
        var head = HTTPRequest(method: .get, scheme: "http", authority: host, path: "/v1/models")
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { head.headerFields[name] = value }
        }
        return head
    }

    private func entrance(keys: [AccessKey] = [], alwaysNeedsKey: Bool = false) -> RequestGuard {
        RequestGuard(
            hosts: HostRule(names: ["Machine"]), origins: ["https://app.example"], keys: KeyStore(KeyRing(keys)),
            alwaysNeedsKey: alwaysNeedsKey)
    }

    @Test(
        "Literal addresses, localhost and the machine's name are hosts of the server.",
        arguments: [
            "127.0.0.1", "127.0.0.1:8080", "192.168.1.7:80", "[::1]", "[::1]:8080", "[fe80::1]:1", "localhost",
            "[::FFFF:127.0.0.1]:1",
            "LocalHost:8080", "machine", "machine:9",
        ])
    func ownHosts(_ host: String) throws {
        try entrance().checkOrigin(head(host))
    }

    @Test(
        "Other names are not, for anyone can have them point here.",
        arguments: [
            "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "", ":80",
            "1.2.3", "1.2.3.256", "1.2.3.4.5", "[evil]", "localhost:8080:1", "localhost:x", "[::1", "127.0.0.1@evil",
            "[::::::]", "[a:1.2]", "[]", "127.1",
        ])
    func foreignHosts(_ host: String) {
        #expect(throws: ServerError.self) { try entrance().checkOrigin(head(host)) }
    }

    @Test("A request without Host is refused, but not through a socket in the file system.")
    func noHost() throws {
        let error = #expect(throws: ServerError.self) { try entrance().checkOrigin(head(nil)) }
        #expect(error?.status == 400)
        #expect(error?.error.message.hasPrefix("The request names no host.") == true)
        try entrance().checkOrigin(head(nil), isLocalSocket: true)
    }

    @Test("A request that names its host twice is refused, whichever it names.")
    func twoHosts() {
        let error = #expect(throws: ServerError.self) {
            try entrance().checkOrigin(head("localhost", [("Host", "localhost")]), isLocalSocket: true)
        }
        #expect(error?.status == 400)
    }

    @Test("Pages of other sites are refused, also where they send no Origin.")
    func origins() throws {
        let entrance = entrance()
        try entrance.checkOrigin(head("localhost:1", [("Origin", "https://app.example")]))
        try entrance.checkOrigin(head("localhost:1", [("Origin", "http://localhost:1")]))
        try entrance.checkOrigin(head("localhost:1", [("Sec-Fetch-Site", "same-origin")]))
        for fields in [
            [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://localhost:2")],
            [("Origin", "https://app.example.evil.example")], [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site")],
        ] {
            let error = #expect(throws: ServerError.self) { try entrance.checkOrigin(head("localhost:1", fields)) }
            #expect(error?.error.code == .forbiddenOrigin)
            #expect(error?.status == 403)
        }
    }

    @Test("The answer names an origin that is allowed, and no other.")
    func allowedOrigin() {
        #expect(entrance().allowedOrigin(head("a", [("Origin", "https://app.example")])) == "https://app.example")
        #expect(entrance().allowedOrigin(head("a", [("Origin", "http://localhost")])) == nil)
        #expect(entrance().allowedOrigin(head("a")) == nil)
    }

    @Test("An origin has a scheme and a host, and no path.")
    func originForms() {
        #expect(RequestGuard.origin(of: "https://app.example/") == "https://app.example")
        #expect(RequestGuard.origin(of: "http://LocalHost:3000") == "http://localhost:3000")
        #expect(RequestGuard.origin(of: "http://[::1]:80") == "http://[::1]:80")
        for wrong in ["app.example", "https://", "https://a/b", "https://a:", "https://a:x", "null", "*", "://a"] {
            #expect(RequestGuard.origin(of: wrong) == nil, "\(wrong)")
        }
    }

    @Test("Without keys replies need none, but management always does.")
    func noKeys() throws {
        let client = try entrance().client(head("localhost"), needing: .api, address: "127.0.0.1")
        #expect(client.key == nil)
        #expect(client.identity == "127.0.0.1")
        for scope in [KeyScope.admin, .data] {
            let error = #expect(throws: ServerError.self) {
                try entrance().client(head("localhost"), needing: scope, address: "")
            }
            #expect(error?.status == 401)
            #expect(error?.error.message.contains("keys add NAME --scope \(scope.rawValue) makes one") == true)
        }
        #expect(throws: ServerError.self) {
            try entrance(alwaysNeedsKey: true).client(head("localhost"), needing: .api, address: "")
        }
    }

    @Test("Once there is a key, requests need one, and it must be for what they do.")
    func keys() throws {
        let (key, secret) = AccessKey.make(name: "phone", scopes: [.api])
        let (other, otherSecret) = AccessKey.make(name: "graphs", scopes: [.metrics])
        let entrance = entrance(keys: [key, other])
        func ask(_ fields: [(String, String)], _ scope: KeyScope?) throws(ServerError) -> RequestGuard.Client {
            try entrance.client(head("localhost", fields), needing: scope, address: "1.2.3.4")
        }
        #expect(try ask([("Authorization", "Bearer \(secret)")], .api).identity == "key phone")
        #expect(try ask([("x-api-key", secret)], .api).key?.name == "phone")
        // A proxy's own credentials do not hide the key.
        #expect(try ask([("Authorization", "Basic YTpi"), ("x-api-key", secret)], .api).key?.name == "phone")
        #expect(try ask([], nil).key == nil)
        for (fields, scope, code) in [
            ([], KeyScope.api, "invalid_api_key"), ([("Authorization", "Bearer wrong")], .api, "invalid_api_key"),
            ([("Authorization", "Basic \(secret)")], .api, "invalid_api_key"),
            ([("Authorization", "Bearer \(otherSecret)")], .api, "insufficient_scope"),
            ([("Authorization", "Bearer \(secret)")], .admin, "insufficient_scope"),
        ] as [([(String, String)], KeyScope, String)] {
            let error = #expect(throws: ServerError.self) { try ask(fields, scope) }
            #expect(error?.error.code?.rawValue == code)
        }
    }

    @Test("A key has a name that can be listed.", arguments: ["", " ", "a\nb", "a\u{1B}[1m"])
    func names(_ name: String) {
        var ring = KeyRing()
        #expect(throws: ServerError.self) { try ring.add(AccessKey.make(name: name, scopes: [.api]).key) }
        #expect(ring.keys.isEmpty)
    }

    @Test("Keys are read back from their file, which nobody else may read and which does not have the secrets.")
    func file() throws {
        try withTemporaryDirectory { directory in
            let file = directory.appending(path: "server/keys.json")
            #expect(try KeyRing(reading: file) == KeyRing())
            let (key, secret) = AccessKey.make(name: "phone", scopes: [.api, .metrics], concurrent: 2)
            var ring = KeyRing()
            try ring.add(key)
            let double = #expect(throws: ServerError.self) { try ring.add(key) }
            #expect(double?.description.hasPrefix("There is a key named phone;") == true)
            let none = #expect(throws: ServerError.self) { try ring.remove("tablet") }
            #expect(none?.description == "There is no key named tablet.")
            try ring.write(to: file)
            #expect(try KeyRing(reading: file) == ring)
            #expect(ring.key(of: secret) == key)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(secret))
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            try Data("{".utf8).write(to: file)
            #expect(throws: ServerError.self) { try KeyRing(reading: file) }
        }
    }

    @Test("A change of the keys counts before anybody makes the next one: no key that was removed comes back.")
    func changes() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = directory.url.appending(path: "keys.json")
        let store = KeyStore(file: file)
        let told = Mutex<[(names: [String], isLocked: Bool)]>([])
        store.onChange {
            let lock = try? FileLock.take(.exclusive, at: file.appendingPathExtension("lock"))
            told.withLock { $0.append((store.ring.keys.map(\.name), lock == nil)) }
        }
        _ = try await store.add("phone", for: [.api])
        try await store.remove("phone")
        let seen = told.withLock { $0 }
        #expect(seen.map(\.names) == [["phone"], []])
        #expect(seen.allSatisfy { $0.isLocked }, "somebody else may change them before they count")
    }

    @Test("What a later version has written of a key stays when another one is added.")
    func later() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "keys.json")
            let digest = String(repeating: "0", count: 64)
            let text = #"{"keys":[{"name":"old","sha256":"\#(digest)","scopes":["api","later"],"until":7}]}"#
            try Data(text.utf8).write(to: file)
            try await KeyRing.change(in: file) { try $0.add(AccessKey.make(name: "new", scopes: [.api]).key) }
            let old = try #require(JSONValue(parsing: Data(contentsOf: file))["keys"]?[0])
            #expect(old["scopes"] == ["api", "later"] && old["until"] == 7)
            #expect(try KeyRing(reading: file).keys.map(\.scopes) == [[.api], [.api]])
        }
    }
}
