// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import ParleyServer
import Testing

@Suite("The server's own key")
struct ServerKeyTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)/server.key")

    private func mode() throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber).intValue
    }

    @Test("It has 256 bits, is made once, and its file is the user's alone.")
    func once() throws {
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let first = try ServerKey(in: file)
        #expect(first.isNew)
        #expect(first.secret.dropFirst("parley-".count).count * 4 == 256)
        #expect(try mode() == 0o600)
        let second = try ServerKey(in: file)
        #expect(!second.isNew)
        #expect(second.secret == first.secret)
        #expect(second.key.digest == first.key.digest)
        #expect(try ServerKey(in: file.appendingPathExtension("other")).secret != first.secret)
    }

    @Test("A file that others may read, or that has no key, is refused.")
    func refusals() throws {
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        _ = try ServerKey(in: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(throws: ServerError.self) { try ServerKey(in: file) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        try Data("parley-short\n".utf8).write(to: file)
        #expect(throws: ServerError.self) { try ServerKey(in: file) }
    }

    @Test("Where its folder cannot be made, the path and the system's reason are told.")
    func noFolder() throws {
        let place = URL(filePath: file.deletingLastPathComponent().path, directoryHint: .notDirectory)
        defer { try? FileManager.default.removeItem(at: place) }
        try Data("a".utf8).write(to: place)
        let error = #expect(throws: ServerError.self) { try ServerKey(in: place.appending(path: "server/server.key")) }
        #expect(error?.description.contains("Error Domain") == false)
        #expect(error?.description.contains("Not a directory") == true)
        let keys = #expect(throws: ServerError.self) { try KeyRing().write(to: place.appending(path: "keys.json")) }
        #expect(keys?.description.contains("Error Domain") == false)
    }

    @Test("It may do everything, and does not close to others what is open without a key.")
    func scopes() throws {
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let own = try ServerKey(in: file)
        let entrance = RequestGuard(
            hosts: HostRule(names: []), origins: [], keys: KeyStore(), ownKey: own.key, alwaysNeedsKey: false)
        func head(_ secret: String?) -> HTTPRequest {
            var head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
            if let secret { head.headerFields[.authorization] = "Bearer \(secret)" }
            return head
        }
        for scope in KeyScope.allCases {
            #expect(try entrance.client(head(own.secret), needing: scope, address: "a").key == own.key)
            let isOpen = scope == .api || scope == .metrics
            let passes = (try? entrance.client(head(nil), needing: scope, address: "a")) != nil
            #expect(passes == isOpen, "\(scope)")
        }
    }
}
