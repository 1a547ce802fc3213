// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import ParleyTestSupport
import Testing

@Suite("Account", .timeLimit(.minutes(15)))
struct AccountTests {
    private func account(
        _ address: String = "https://example.org/dav/", name: String = "home", user: String? = "me"
    ) throws -> Account {
        try Account(name: name, url: try #require(URL(string: address)), user: user)
    }

    private func code(_ work: () async throws -> Void) async -> AssistantError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? AssistantError)?.code
        }
    }

    @Test("the settings are read as they were written, without a password in them, and readable by the user alone")
    func settings() throws {
        try withTemporaryDirectory { directory in
            let file = directory.appending(path: "accounts.json")
            #expect(try AccountSettings(at: file) == AccountSettings())
            var settings = AccountSettings()
            var account = try account()
            account.passwordCommand = ["pass", "show", "dav"]
            settings.accounts = [account, try self.account("http://127.0.0.1:5232/", name: "local", user: nil)]
            settings.newEvents = "home-personal"
            let written = try AccountSettings.change(at: file) { $0 = settings }
            #expect(try written == settings && AccountSettings(at: file) == settings)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
        }
    }

    @Test("what another program has changed since stays, and two do not change them at once")
    func changes() throws {
        try withTemporaryDirectory { directory in
            let file = directory.appending(path: "home/accounts.json")
            let (one, other) = (try account("http://127.0.0.1:1/", name: "one"), try account(name: "other"))
            try AccountSettings.change(at: file) { $0.accounts.append(one) }
            let settings = try AccountSettings.change(at: file) { settings in
                settings.accounts.append(other)
                let error = #expect(throws: AssistantError.self) { try AccountSettings.change(at: file) { _ in } }
                #expect(error?.code == .storeUnavailable)
            }
            #expect(settings.accounts == [one, other])
            try Data("{".utf8).write(to: file)
            #expect(throws: AssistantError.self) { try AccountSettings.change(at: file) { $0.newEvents = "x" } }
            #expect(try Data(contentsOf: file) == Data("{".utf8))
        }
    }

    @Test(
        "settings that cannot be used are refused, without a word of what is in them",
        arguments: [
            "{", "[]", #"{"accounts":[{"name":"../x","url":"https://example.org"}]}"#,
            #"{"accounts":[{"name":"a","url":"https://user:hunter2@example.org"}]}"#,
            #"{"accounts":[{"name":"a","url":"file:///hunter2"}]}"#,
            #"{"accounts":[],"new_events":"../../hunter2"}"#,
            #"{"accounts":[{"name":"a","url":"https://a.org"},{"name":"A","url":"https://b.org"}]}"#,
        ])
    func badSettings(text: String) throws {
        try withTemporaryDirectory { directory in
            let file = directory.appending(path: "accounts.json")
            try Data(text.utf8).write(to: file)
            let error = #expect(throws: AssistantError.self) { try AccountSettings(at: file) }
            #expect(error?.code == .invalidInput)
            #expect(error?.message.contains("hunter2") == false)
        }
    }

    @Test("a password goes encrypted, or stays on this machine")
    func encryption() async throws {
        for (address, isRefused) in [
            ("http://example.org/", true), ("http://192.168.0.1/", true), ("http://127.0.0.1.example.org/", true),
            ("http://127.1.example.org/", true), ("http://127.0.0.1:80/", false), ("http://localhost/", false),
            ("http://[::1]:5232/", false), ("https://example.org/", false), ("http://dav.localhost/", false),
            ("http://localhost./", true), ("http://+127.0.0.1/", true),
        ] {
            let url = try #require(URL(string: address))
            #expect(await code { _ = try server(url) } == (isRefused ? .refused : nil), "\(address)")
            #expect(await code { _ = try server(url, user: nil) } == nil)
        }
    }

    @Test("a password for this machine does not go through a proxy")
    func proxies() async throws {
        let proxied: ProcessEnvironment = ["http_proxy": "http://proxy:3128", "no_proxy": "localhost"]
        for (address, isRefused) in [
            ("http://127.0.0.1/", true), ("http://localhost/", false), ("https://example.org/", false),
        ] {
            let url = try #require(URL(string: address))
            let found = await code { _ = try server(url, environment: proxied) }
            #expect(found == (isRefused ? .refused : nil), "\(address)")
            #expect(await code { _ = try server(url, user: nil, environment: proxied) } == nil)
        }
    }

    @Test(
        "an address is refused by an account and by the server's client alike",
        arguments: [
            "ftp://example.org/", "https:///dav/", "https://example.org/a/../b/", "https://example.org/dav/?a=b",
            "https://example.org/dav/#a", "https://me@example.org/",
        ])
    func badAddresses(address: String) async throws {
        let url = try #require(URL(string: address))
        #expect(await code { _ = try account(address) } == .invalidInput)
        #expect(await code { _ = try server(url) } == .invalidInput)
    }

    private func server(
        _ url: URL, user: String? = "me", environment: ProcessEnvironment = [:]
    ) throws -> DAVServer {
        try DAVServer(url, user: user, password: "p", http: ServerInMemory(), environment: environment)
    }

    @Test("the password comes from the environment, a file that nobody else may read, or a command")
    func passwords() async throws {
        try await withTemporaryDirectory { directory in
            var account = try account(name: "my-home")
            let environment: ProcessEnvironment = [
                "PARLEY_PASSWORD_MY_HOME": "one", "OTHER": "two", "HOME": directory.path, "PATH": "/usr/bin:/bin",
            ]
            #expect(try await account.password(environment: environment) == "one")
            account.passwordEnvironment = "OTHER"
            #expect(try await account.password(environment: environment) == "two")
            #expect(await code { _ = try await account.password(environment: [:]) } == .invalidInput)
            account.passwordFile = "~/password"
            let file = directory.appending(path: "password")
            #expect(await code { _ = try await account.password(environment: environment) } == .invalidInput)
            try Data("three\nmore".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            #expect(await code { _ = try await account.password(environment: environment) } == .refused)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            #expect(try await account.password(environment: environment) == "three")
            #if os(macOS) || os(Linux)
                account.passwordCommand = ["/bin/sh", "-c", "printf 'four %s\\n\\n' \"$OTHER\""]
                // Only what programs need is passed on. A busy machine may take long to run one.
                let long = Duration.seconds(600)
                #expect(try await account.password(environment: environment, within: long) == "four ")
                for failing in [["/bin/sh", "-c", "echo five; exit 3"], ["/bin/sh", "-c", "true"], ["/no/such"], []] {
                    account.passwordCommand = failing
                    #expect(
                        await code { _ = try await account.password(environment: environment, within: long) }
                            == .invalidInput)
                }
            #endif
            #expect(try await self.account(user: nil).password(environment: [:]) == "")
        }
    }
}

@Suite("MirroredItems", .timeLimit(.minutes(15)))
struct MirroredItemsTests {
    @Test("what may only be read is not written; after other writes somebody is told")
    func writing() async throws {
        try await withTemporaryDirectory { directory in
            let (told, continuation) = AsyncStream<Void>.makeStream()
            let folder = FolderStore(name: "calendar", folder: directory, suffix: "ics", depth: 2)
            let items = MirroredItems(folder, readOnly: { ["shared"] }, changed: { continuation.yield() })
            func change(_ path: String) -> Change<StoreItem> {
                Change(before: nil, after: StoreItem(id: folder.id(path), content: Data("x".utf8)))
            }
            let error = await #expect(throws: AssistantError.self) { try await items.apply(change("shared/a.ics")) }
            #expect(error?.code == .refused)
            try await items.apply(change("mine/a.ics"))
            continuation.finish()
            var count = 0
            for await _ in told { count += 1 }
            #expect(count == 1)
            #expect(try items.paths() == ["mine/a.ics"])
            #expect(try items.item(folder.id("mine/a.ics"))?.content == Data("x".utf8))
        }
    }
}
