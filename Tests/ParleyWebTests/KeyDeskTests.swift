// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyServer
import ParleyTesting
import ParleyWeb
import Testing

@Suite("Keys in the page")
struct KeyDeskTests {
    @Test("A key is made, shown once and kept as its digest; every page is told the list, and none the secret.")
    func adding() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let chat = try await trial.newChat()
            let events = try await trial.events(chat, since: try await trial.place(chat))
            let answer = try await trial.wish("newKey", ["name": "phone", "scopes": ["data", "api"]])
            let secret = try #require(answer["key"]?.string)
            #expect(secret.hasPrefix("parley-") && secret.count > 60)
            let told = try #require(try await events.until { $0.type == "settings.updated" }.last)
            #expect(told.data["settings"]?["keys"]?[0]?["name"] == "phone")
            #expect(told.data["settings"]?["keys"]?[0]?["scopes"] == ["api", "data"])
            #expect(!told.data.text().contains(secret))
            let state = try await trial.read("state", ["chat": chat])
            #expect(!state.text().contains(secret))
            #expect(state["key"]?["name"] == "own")
            let ring = try KeyRing(reading: trial.folder.appending(path: "keys.json"))
            #expect(ring.key(of: secret)?.scopes == [.data, .api])
        }
    }

    @Test("A key that another program has added meanwhile stays, and can be removed.")
    func others() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let file = trial.folder.appending(path: "keys.json")
            try await KeyRing.change(in: file) { ring throws(ServerError) in
                try ring.add(AccessKey.make(name: "scripts", scopes: [.api]).key)
            }
            try await trial.wish("newKey", ["name": "phone", "scopes": ["data"]])
            #expect(try KeyRing(reading: file).keys.map(\.name) == ["scripts", "phone"])
            try await trial.wish("deleteKey", ["name": "scripts"])
            #expect(try KeyRing(reading: file).keys.map(\.name) == ["phone"])
            #expect(try await trial.read("state")["settings"]?["keys"]?.array?.count == 1)
        }
    }

    @Test("The key in use is not removed without a word, and nothing happens until the user says so.")
    func ownKey() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let file = trial.folder.appending(path: "keys.json")
            try await trial.wish("newKey", ["name": "laptop", "scopes": ["data", "admin"]])
            let laptop = try #require(KeyRing(reading: file).keys.first)
            let error = await #expect(throws: ServerError.self) {
                try await trial.wish("deleteKey", ["name": "laptop"], by: laptop)
            }
            #expect(error?.status == 409)
            #expect(try KeyRing(reading: file).keys == [laptop])
            try await trial.wish("deleteKey", ["name": "laptop", "even_if_used": true], by: laptop)
            #expect(try KeyRing(reading: file).keys.isEmpty)
        }
    }

    @Test("A key without the scope admin manages none, and nobody gives more than they have.")
    func limits() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let reader = AccessKey.make(name: "reader", scopes: [.data]).key
            let manager = AccessKey.make(name: "manager", scopes: [.data, .admin]).key
            for (name, scopes, key) in [
                ("a", ["data"], reader), ("a", ["api"], manager), ("a", [], manager), ("a", ["fly"], manager),
                (" ", ["data"], manager), ("a\u{7}", ["data"], manager), ("manager", ["data"], manager),
                (String(repeating: "a", count: 65), ["data"], manager),
            ] as [(String, [JSONValue], AccessKey)] {
                await #expect(throws: ServerError.self, "\(name)") {
                    try await trial.wish("newKey", ["name": .string(name), "scopes": .array(scopes)], by: key)
                }
            }
            await #expect(throws: ServerError.self) { try await trial.wish("newKey", ["name": "a"], by: manager) }
            for (name, key) in [("none", manager), ("none", reader)] {
                await #expect(throws: ServerError.self) {
                    try await trial.wish("deleteKey", ["name": .string(name)], by: key)
                }
            }
            #expect(!FileManager.default.fileExists(atPath: trial.folder.appending(path: "keys.json").path))
        }
    }

    @Test("The same wish again makes no second key.")
    func twice() async throws {
        try await PageTrial.with(["Hi"]) { trial in
            let first = try await trial.wish("newKey", id: "1", ["name": "phone", "scopes": ["data"]])
            #expect(try await trial.wish("newKey", id: "1", ["name": "phone", "scopes": ["data"]]) == first)
            await #expect(throws: ServerError.self) {
                try await trial.wish("newKey", ["name": "phone", "scopes": ["data"]])
            }
        }
    }
}
