// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
import ParleyCalendar

/// Contacts as vCards in a collection: a folder as khard and vdirsyncer keep it, or a server.
///
/// An item may hold one card or several. Cards that cannot be read are left out; notes of cards are never read.
public struct ContactBook: ContactStore {
    private let collection: any ItemCollection

    /// Creates a store over a collection of items with the suffix `vcf`.
    public init(_ collection: any ItemCollection) { self.collection = collection }

    /// Creates a store over a folder and its folders, each of which is an address book.
    public init(folder: URL) {
        self.init(FolderStore(name: "contacts", folder: folder, suffix: "vcf", depth: 2))
    }

    /// The contacts that fit the words of a query, best first.
    ///
    /// Names count more than the organisation, that more than addresses and numbers. Where no contact has all words, as
    /// for "the number of Anna", those are found that have a word as a whole name and lack the fewest others.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    public func contacts(matching query: String, limit: Int) async throws -> [StoredContact] {
        guard limit > 0, let matcher = ContactMatcher(query) else { return [] }
        var found: [(rank: ContactMatcher.Rank, contact: StoredContact)] = []
        for path in try await collection.paths() {
            try Task.checkCancellation()
            let id = StoreItem.ID(store: collection.name, path: path)
            guard let item = try await collection.listed(id) else { continue }
            for (contact, otherNames) in Self.contacts(in: item) {
                if let rank = matcher.rank(contact, otherNames: otherNames) { found.append((rank, contact)) }
            }
        }
        return ContactMatcher.best(found, limit: limit)
    }

    /// The contacts of an item, with other names by which they are found.
    private static func contacts(in item: StoreItem) -> [(contact: StoredContact, otherNames: [String])] {
        guard let stream = try? ContentStream(reading: item.content, limits: .ofItems) else { return [] }
        var found: [(StoredContact, [String])] = []
        for card in stream.components.lazy.compactMap(VCard.init) {
            var id = item.id
            if !found.isEmpty { id.path += "#\(found.count + 1)" }
            let contact = StoredContact(
                id: id, name: card.name, organisation: card.organisation, phones: card.phones, emails: card.emails)
            found.append((contact, card.otherNames))
        }
        return found
    }
}
