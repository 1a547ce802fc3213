// SPDX-License-Identifier: Apache-2.0

#if canImport(Contacts)
    import Contacts
    import Dispatch
    import Foundation
    public import ParleyAssistant
    import ParleySystem

    /// The contacts of the user, through the Contacts framework. Notes of contacts are never fetched.
    ///
    /// The app's `Info.plist` needs `NSContactsUsageDescription`. They are found by the same words as in a
    /// ``ContactBook``; a search looks at all of them. Where the user has given access to some contacts alone, only those
    /// are found.
    ///
    /// Not compiled or run by this project's tests, which run on Linux.
    public struct SystemContacts: ContactStore {
        /// Creates a store over the user's contacts.
        public init() {}

        /// Asks the user for access, if that was not done before.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable` if it is not given.
        public func requestAccess() async throws {
            let status = CNContactStore.authorizationStatus(for: .contacts)
            if status == .denied || status == .restricted { throw Self.denied }
            guard status == .notDetermined else { return }
            let isGranted = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                CNContactStore().requestAccess(for: .contacts) { @Sendable isGranted, _ in
                    continuation.resume(returning: isGranted)
                }
            }
            guard isGranted else { throw Self.denied }
        }

        /// The contacts that fit the words of a query, best first; see ``ContactBook``.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable`.
        public func contacts(matching query: String, limit: Int) async throws -> [StoredContact] {
            guard limit > 0, let matcher = ContactMatcher(query) else { return [] }
            try await requestAccess()
            return try await withCheckedThrowingContinuation { continuation in
                // The framework blocks while it reads the contacts.
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try Self.search(matcher, limit) })
                }
            }
        }

        private static let denied = AssistantError(
            .storeUnavailable,
            "This app may not use the contacts. Allow it in the system's settings, Privacy & Security.")

        private static func search(_ matcher: ContactMatcher, _ limit: Int) throws -> [StoredContact] {
            let keys: [any CNKeyDescriptor] = [
                CNContactFormatter.descriptorForRequiredKeys(for: .fullName),
                CNContactNicknameKey as any CNKeyDescriptor, CNContactGivenNameKey as any CNKeyDescriptor,
                CNContactFamilyNameKey as any CNKeyDescriptor, CNContactMiddleNameKey as any CNKeyDescriptor,
                CNContactOrganizationNameKey as any CNKeyDescriptor, CNContactPhoneNumbersKey as any CNKeyDescriptor,
                CNContactEmailAddressesKey as any CNKeyDescriptor,
            ]
            var found: [(rank: ContactMatcher.Rank, contact: StoredContact)] = []
            do {
                try CNContactStore().enumerateContacts(with: CNContactFetchRequest(keysToFetch: keys)) { contact, _ in
                    guard let stored = StoredContact(contact) else { return }
                    let others = [contact.givenName, contact.middleName, contact.familyName, contact.nickname]
                    if let rank = matcher.rank(stored, otherNames: others.filter { !$0.isEmpty }) {
                        found.append((rank, stored))
                    }
                }
            } catch {
                throw AssistantError(.storeUnavailable, "The contacts cannot be read.", cause: error)
            }
            return ContactMatcher.best(found, limit: limit)
        }
    }

    extension StoredContact {
        /// The longest text that is taken from a contact, in characters, and the largest number of entries.
        private static let (longest, most) = (200, 20)

        /// Reads a contact of the system; nil for one without anything to call it by.
        init?(_ contact: CNContact) {
            func line(_ text: String) -> String { PlainText.line(text, upTo: Self.longest) }
            func entry(_ label: String?, _ value: String) -> Entry {
                let label = label.map { line(CNLabeledValue<NSString>.localizedString(forLabel: $0)) }
                return Entry(label: label.flatMap { $0.isEmpty ? nil : $0 }, value: line(value))
            }
            let phones = contact.phoneNumbers.prefix(Self.most).map { entry($0.label, $0.value.stringValue) }
            let emails = contact.emailAddresses.prefix(Self.most).map { entry($0.label, $0.value as String) }
            let organisation = line(contact.organizationName)
            let full = CNContactFormatter.string(from: contact, style: .fullName) ?? ""
            let names = [full, organisation, emails.first?.value ?? ""].map { line($0) }
            guard let name = names.first(where: { !$0.isEmpty }) else { return nil }
            self.init(
                id: StoreItem.ID(store: "contacts", path: contact.identifier), name: name,
                organisation: organisation.isEmpty ? nil : organisation, phones: Array(phones), emails: Array(emails))
        }
    }
#endif
