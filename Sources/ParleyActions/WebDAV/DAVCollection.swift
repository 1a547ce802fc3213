// SPDX-License-Identifier: Apache-2.0

/// A calendar or an address book on a server.
package struct DAVCollection: Hashable, Sendable {
    /// What a collection contains.
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Events and to-dos.
        case calendar
        /// Contacts.
        case contacts

        /// How the names of its items end, without the dot.
        package var suffix: String { self == .calendar ? "ics" : "vcf" }
        /// The type of its items, as a header states it.
        var contentType: String { self == .calendar ? "text/calendar; charset=utf-8" : "text/vcard; charset=utf-8" }
        /// The property with the content of an item.
        var data: XMLTree.Name { self == .calendar ? .calendar("calendar-data") : .contacts("address-data") }
        /// The type of the resource of such a collection.
        var resourceType: XMLTree.Name { self == .calendar ? .calendar("calendar") : .contacts("addressbook") }
        /// The property of a principal that says where its collections are.
        var homeSet: XMLTree.Name {
            self == .calendar ? .calendar("calendar-home-set") : .contacts("addressbook-home-set")
        }
        /// The place at which a server says where its service is (RFC 6764).
        var wellKnown: String { self == .calendar ? "/.well-known/caldav" : "/.well-known/carddav" }
    }

    /// What it contains.
    package var kind: Kind
    /// Where it is on the server.
    package var path: DAVPath
    /// Its name for people, if it has one.
    package var title: String?
    /// Its colour as `#RRGGBB`, if it has one.
    package var colour: String?
    /// The components that it takes: `VEVENT`, `VTODO`; for contacts none.
    package var components: [String] = []
    /// Whether the user may only read it.
    package var isReadOnly = false
    /// Whether the server tells what changed (RFC 6578).
    package var tellsChanges = false

    /// Creates a collection.
    package init(kind: Kind, path: DAVPath) { (self.kind, self.path) = (kind, path) }

    /// The properties from which a collection is read.
    static let properties: [XMLTree.Name] = [
        .dav("resourcetype"), .dav("displayname"), .dav("current-user-privilege-set"), .dav("supported-report-set"),
        .calendar("supported-calendar-component-set"), .apple("calendar-color"),
    ]

    /// Reads a collection from its properties; nil if it is neither a calendar nor an address book.
    init?(_ response: Multistatus.Response, at path: DAVPath) {
        let types = Set(response.properties[.dav("resourcetype")]?.children.map(\.name) ?? [])
        guard let kind = Kind.allCases.first(where: { types.contains($0.resourceType) }) else { return nil }
        (self.kind, self.path) = (kind, path)
        title = response.properties[.dav("displayname")]?.word.map { String($0.prefix(200)) }
        colour = response.properties[.apple("calendar-color")]?.word.flatMap(Self.colour)
        if kind == .calendar {
            let set = response.properties[.calendar("supported-calendar-component-set")]
            let names = set?.all(.calendar("comp")).compactMap { $0.attributes["name"]?.uppercased() } ?? []
            // A server that does not say takes everything.
            components = names.isEmpty ? ["VEVENT", "VTODO"] : Array(names.prefix(20))
        }
        if let privileges = response.properties[.dav("current-user-privilege-set")] {
            let names = Set(privileges.all(.dav("privilege")).flatMap(\.children).map(\.name))
            isReadOnly = names.isDisjoint(with: [.dav("all"), .dav("write"), .dav("write-content"), .dav("bind")])
        }
        let reports = response.properties[.dav("supported-report-set")]?.all(.dav("supported-report")) ?? []
        tellsChanges = reports.contains { $0[.dav("report")]?[.dav("sync-collection")] != nil }
    }

    /// A colour without its opacity; nil if the text is none.
    private static func colour(_ text: String) -> String? {
        let digits = text.dropFirst()
        guard text.hasPrefix("#"), [6, 8].contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
        return "#" + digits.prefix(6).uppercased()
    }
}
