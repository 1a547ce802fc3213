// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyJSON
import ParleyTestSupport
import Testing

/// `scripts/reference/contacts/record.py` recorded them with khard 0.22.0 and vobject 0.9.9.
@Suite("Contacts that other programs made")
struct ReferenceContactTests {
    @Test("They have the names, numbers and addresses that those programs read")
    func goldens() async throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "Goldens/contacts.json")
        let makers = try #require(try JSONValue(parsing: Data(contentsOf: file)).array)
        #expect(makers.count == 3)
        for maker in makers {
            let directory = try TemporaryDirectory()
            for (number, card) in try #require(maker["cards"]?.array).enumerated() {
                try Data(try #require(card.string).utf8).write(to: directory.url.appending(path: "\(number).vcf"))
            }
            let book = ContactBook(folder: directory.url)
            let names = try #require(maker["names"]?.array).compactMap(\.string)
            #expect(names.count == 6)
            #expect(try await book.contacts(matching: "secret", limit: 9).isEmpty)
            for name in names {
                let contact = try #require(try await book.contacts(matching: name, limit: 1).first)
                #expect(contact.name == name)
                let said = maker["said"]?[name]
                let comment = Comment(rawValue: "\(maker["maker"]?.string ?? ""): \(name)")
                #expect(Self.values(contact.phones) == Self.values(said?["phone"]), comment)
                #expect(Self.values(contact.emails) == Self.values(said?["email"]), comment)
            }
        }
    }

    private static func values(_ entries: [StoredContact.Entry]) -> [String] { entries.map(\.value).sorted() }

    private static func values(_ list: JSONValue?) -> [String] {
        (list?.array ?? []).compactMap { $0.array?.last?.string }.sorted()
    }
}
