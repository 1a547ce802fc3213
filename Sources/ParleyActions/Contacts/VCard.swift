// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import ParleySystem

/// A card of vCard 3.0 (RFC 2426), 4.0 (RFC 6350) or 2.1, read as far as the assistant shows contacts.
///
/// NOTE is not among the properties that are read.
struct VCard {
    /// The properties that are read.
    private static let read: Set<String> = [
        "FN", "N", "NICKNAME", "ORG", "TEL", "EMAIL", "X-ABLABEL", "KIND", "X-ADDRESSBOOKSERVER-KIND",
    ]
    /// The longest text that is taken from a card, in characters.
    private static let longest = 200
    /// The largest number of numbers or addresses that are taken.
    private static let most = 20

    /// A property without its group, with its value as text.
    private struct Property {
        var group: String
        var name: String
        var line: ContentLine
        var value: String

        /// The types in lower case: those of TYPE, and in vCard 2.1 the parameters without a name.
        var types: [String] {
            line.parameters.flatMap { parameter -> [String] in
                if parameter.values.isEmpty { return [parameter.name.lowercased()] }
                guard parameter.name.uppercased() == "TYPE" else { return [] }
                // vCard 4.0 writes several types in one pair of quotes.
                return parameter.values.flatMap { $0.split(separator: ",") }.map { $0.lowercased() }
            }
        }

        /// The place among others of its kind: PREF from 1 to 100 in vCard 4.0, the type `pref` before.
        var preference: Int {
            if let pref = line.parameter("PREF").flatMap({ Int($0) }), 1...100 ~= pref { return pref }
            return types.contains("pref") ? 1 : 101
        }
    }

    /// The full name; without one the name's parts, the organisation, or an address.
    private(set) var name = ""
    /// Other names by which the contact is searched: the parts of the name, nicknames.
    private(set) var otherNames: [String] = []
    /// The organisation and its departments.
    private(set) var organisation: String?
    private(set) var phones: [StoredContact.Entry] = []
    private(set) var emails: [StoredContact.Entry] = []

    /// Reads a component; nil for groups of contacts, and for cards with nothing to show.
    init?(_ component: ContentComponent) {
        guard component.name == "VCARD" else { return nil }
        let properties = Self.properties(of: component)
        let kind = properties.first { $0.name == "KIND" || $0.name == "X-ADDRESSBOOKSERVER-KIND" }
        guard kind?.value.lowercased() != "group" else { return nil }
        let first = { (name: String) in
            properties.filter { $0.name == name }.min { $0.preference < $1.preference }?.value
        }
        let labels = Dictionary(
            properties.filter { $0.name == "X-ABLABEL" && !$0.group.isEmpty }.map { ($0.group, Self.label($0.value)) },
            uniquingKeysWith: { first, _ in first })
        phones = Self.entries("TEL", of: properties, labels)
        emails = Self.entries("EMAIL", of: properties, labels)
        let organisation = first("ORG").map { Self.fields($0).filter { !$0.isEmpty }.joined(separator: ", ") }
        self.organisation = organisation.flatMap { $0.isEmpty ? nil : Self.cut($0) }
        // Family name, given name, additional names, prefixes, suffixes.
        let parts = first("N").map(Self.fields) ?? []
        let part = { (index: Int) in parts.indices.contains(index) ? parts[index] : "" }
        let full = [part(3), part(1), part(2), part(0), part(4)].filter { !$0.isEmpty }.joined(separator: " ")
        let names = [first("FN").map(Self.text) ?? "", full, self.organisation ?? "", emails.first?.value ?? ""]
        guard let name = names.lazy.map(Self.cut).first(where: { !$0.isEmpty }) else { return nil }
        self.name = name
        let nicknames = first("NICKNAME").map { TextValue.split($0).map(Self.text) } ?? []
        otherNames = (parts.prefix(3) + nicknames).filter { !$0.isEmpty }.map(Self.cut)
    }

    // MARK: Properties

    private static func properties(of component: ContentComponent) -> [Property] {
        var found: [Property] = []
        var lines = component.items.compactMap { if case .line(let line) = $0 { line } else { nil } }[...]
        while let line = lines.popFirst() {
            let isQuoted = line.parameters.contains { parameter in
                let name = parameter.name.uppercased()
                let values = parameter.values.map { $0.uppercased() }
                return name == "ENCODING" && values.contains("QUOTED-PRINTABLE")
                    || name == "QUOTED-PRINTABLE" && values.isEmpty
            }
            let (group, name) = Self.name(of: line)
            var value = line.value
            if isQuoted {
                // vCard 2.1 breaks such values at any place, and the next line need not begin with a space. A value
                // that only happens to end so does not take in a note.
                var text = QuotedPrintable.unbroken(line.bytes)
                while text.last == UInt8(ascii: "="), let next = lines.first, Self.name(of: next).name != "NOTE" {
                    lines.removeFirst()
                    text.removeLast()
                    text += QuotedPrintable.unbroken(next.bytes)
                }
                guard read.contains(name) else { continue }
                value = QuotedPrintable.text(
                    QuotedPrintable.decoded(Self.value(in: text)), charset: line.parameter("CHARSET"))
            } else if read.contains(name), String(validating: line.bytes, as: UTF8.self) == nil {
                // Older programs write another character set, whether they say so or not.
                let text = QuotedPrintable.unbroken(line.bytes)
                value = QuotedPrintable.text(Array(Self.value(in: text)), charset: line.parameter("CHARSET"))
            }
            if read.contains(name) { found.append(Property(group: group, name: name, line: line, value: value)) }
        }
        return found
    }

    /// The bytes after the first colon of a line.
    private static func value(in text: [UInt8]) -> ArraySlice<UInt8> {
        text.drop { $0 != UInt8(ascii: ":") }.dropFirst()
    }

    /// The group and the name of a line, in capitals; both empty for a line that is not valid.
    private static func name(of line: ContentLine) -> (group: String, name: String) {
        guard let dot = line.key.lastIndex(of: ".") else { return ("", line.key) }
        return (String(line.key[..<dot]), String(line.key[line.key.index(after: dot)...]))
    }

    private static func entries(
        _ name: String, of properties: [Property], _ labels: [String: String]
    ) -> [StoredContact.Entry] {
        let properties = properties.filter { $0.name == name }.enumerated()
            .sorted { ($0.element.preference, $0.offset) < ($1.element.preference, $1.offset) }.map(\.element)
        var found: [StoredContact.Entry] = []
        for property in properties where found.count < most {
            var value = text(property.value)
            for scheme in ["tel:", "mailto:"] where value.lowercased().hasPrefix(scheme) {
                value = String(value.dropFirst(scheme.count))
            }
            value = cut(value)
            guard !value.isEmpty, !found.contains(where: { $0.value == value }) else { continue }
            let ignored: Set<String> = ["pref", "internet", "voice", "x400", "quoted-printable", "base64"]
            let types = property.types.filter { !ignored.contains($0) }
            var label = labels[property.group]
            if label == nil, !types.isEmpty { label = cut(types.joined(separator: " ")) }
            found.append(StoredContact.Entry(label: label, value: value))
        }
        return found
    }

    // MARK: Values

    private static func fields(_ value: String) -> [String] {
        TextValue.split(value, at: ";").map { field in
            TextValue.split(field).map(text).filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    private static func text(_ value: String) -> String { PlainText.line(TextValue.read(value)) }

    private static func cut(_ text: String) -> String { String(text.prefix(longest)) }

    /// A label of Apple's address book, such as `_$!<Home>!$_`.
    private static func label(_ value: String) -> String {
        let text = text(value)
        guard text.hasPrefix("_$!<"), text.hasSuffix(">!$_"), text.count > 8 else { return cut(text) }
        return cut(text.dropFirst(4).dropLast(4).lowercased())
    }
}
