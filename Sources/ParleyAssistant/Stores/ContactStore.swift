// SPDX-License-Identifier: Apache-2.0

/// A contact, as a card shows it. It has no notes: those are never given to a model.
public struct StoredContact: Hashable, Sendable, Codable, Identifiable {
    /// A number or an address with the label that the user gave it.
    public struct Entry: Hashable, Sendable, Codable {
        /// The label, such as `work`; nil if there is none.
        public var label: String?
        /// The number or address.
        public var value: String

        /// Creates an entry.
        public init(label: String? = nil, value: String) { (self.label, self.value) = (label, value) }
    }

    /// The item that contains the contact; `#2` and so on follow the path for further contacts in one item.
    public var id: StoreItem.ID
    /// The full name.
    public var name: String
    /// The organisation.
    public var organisation: String?
    /// The telephone numbers, the preferred one first.
    public var phones: [Entry]
    /// The e-mail addresses, the preferred one first.
    public var emails: [Entry]

    /// Creates a contact.
    public init(
        id: StoreItem.ID, name: String, organisation: String? = nil, phones: [Entry] = [], emails: [Entry] = []
    ) {
        (self.id, self.name, self.organisation, self.phones, self.emails) = (id, name, organisation, phones, emails)
    }
}

/// A store of contacts, which the assistant only reads.
public protocol ContactStore: Sendable {
    /// The contacts that fit the words of a query, best first.
    ///
    /// Names, organisations, numbers and addresses are searched, without regard to case and accents.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func contacts(matching query: String, limit: Int) async throws -> [StoredContact]
}
