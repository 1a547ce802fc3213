// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyTestSupport
import Testing

@Suite("Contacts in a folder")
struct ContactBookTests {
    private let directory: TemporaryDirectory
    private let book: ContactBook

    init() throws {
        directory = try TemporaryDirectory()
        book = ContactBook(folder: directory.url)
    }

    private func write(_ text: String, _ path: String = "family/a.vcf") throws {
        try write(Data(text.utf8), path)
    }

    private func write(_ data: Data, _ path: String = "family/a.vcf") throws {
        let file = directory.url.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    private func card(_ lines: String, version: String = "3.0") -> String {
        "BEGIN:VCARD\r\nVERSION:\(version)\r\n\(lines.replacing("\n", with: "\r\n"))\r\nEND:VCARD\r\n"
    }

    private func only(_ query: String = "Anna") async throws -> StoredContact {
        let found = try await book.contacts(matching: query, limit: 5)
        #expect(found.count == 1)
        return try #require(found.first)
    }

    @Test("a card of vCard 3.0 with groups and preferences")
    func version3() async throws {
        try write(
            card(
                """
                N:Müller\\, jun.;Anna;Maria;Dr.;
                FN:Dr. Anna Müller
                ORG:Beispiel GmbH;Einkauf\\; Technik
                TEL;TYPE=CELL,VOICE:+49 170 1234567
                TEL;TYPE=WORK,FAX:+49 30 99
                TEL;TYPE=HOME,PREF:030 / 12 34 56
                item1.TEL:0800 1
                item1.X-ABLabel:_$!<Mobile>!$_
                item2.EMAIL;TYPE=INTERNET:anna@example.org
                item2.X-ABLabel:the post
                EMAIL;TYPE=INTERNET;TYPE=pref:a.mueller@exam
                 ple.com
                NOTE:secret note
                """))
        let contact = try await only("muller")
        #expect(contact.name == "Dr. Anna Müller" && contact.organisation == "Beispiel GmbH, Einkauf; Technik")
        #expect(
            contact.phones == [
                .init(label: "home", value: "030 / 12 34 56"), .init(label: "cell", value: "+49 170 1234567"),
                .init(label: "work fax", value: "+49 30 99"), .init(label: "mobile", value: "0800 1"),
            ])
        #expect(
            contact.emails == [
                .init(value: "a.mueller@example.com"), .init(label: "the post", value: "anna@example.org"),
            ])
        #expect(contact.id == StoreItem.ID(store: "contacts", path: "family/a.vcf"))
        #expect(try await book.contacts(matching: "secret", limit: 5).isEmpty)
    }

    @Test("a card of vCard 4.0 with addresses and numbers for preferences")
    func version4() async throws {
        try write(
            card(
                """
                FN;PREF=2:Anne
                FN;PREF=1:Anna Stevenson
                N:Stevenson;Anna;Philip,Paul;;Jr.,M.D.
                TEL;VALUE=uri;PREF=2;TYPE="voice,home":tel:+1-555-555-5555;ext=5555
                TEL;VALUE=uri;PREF=1;TYPE=cell:TEL:+1-555-1
                EMAIL;PREF=1:mailto:anna@example.net
                EMAIL:anna@example.net
                KIND:individual
                """, version: "4.0"))
        let contact = try await only()
        #expect(contact.name == "Anna Stevenson" && contact.organisation == nil)
        #expect(
            contact.phones == [
                .init(label: "cell", value: "+1-555-1"), .init(label: "home", value: "+1-555-555-5555;ext=5555"),
            ])
        #expect(contact.emails == [.init(value: "anna@example.net")])
    }

    @Test("a card of vCard 2.1 is not garbled")
    func version2() async throws {
        try write(
            card(
                """
                N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Anna=
                =20Maria
                ORG;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:B=E4cker=
                 ei
                NOTE;QUOTED-PRINTABLE:first=0D=0A=
                TEL;HOME:666=
                EMAIL:none@example.org
                TEL;CELL;PREF;VOICE:1 23
                EMAIL;INTERNET:a@b
                """, version: "2.1"))
        let contact = try await only()
        #expect(contact.name == "Anna Maria Müller" && contact.organisation == "Bäcker ei")
        #expect(contact.phones == [.init(label: "cell", value: "1 23")])
        #expect(contact.emails == [.init(value: "a@b")])
    }

    @Test(
        "a card of vCard 2.1 is read in the character set that it names",
        arguments: [
            ("ISO-8859-2", "Micha=B3 Kr=F3l", "Michał Król"), ("windows-1251", "=C0=ED=ED=E0", "Анна"),
            ("Windows-1252", "Zo=EB", "Zoë"), ("US-ASCII", "Zo=C3=AB", "Zoë"), ("UTF-8", "Zo=C3=AB", "Zoë"),
            ("X-UNKNOWN", "Zo=EB", "Zoë"),
        ])
    func charsets(charset: String, encoded: String, name: String) async throws {
        try write(card("FN;CHARSET=\(charset);ENCODING=QUOTED-PRINTABLE:\(encoded)", version: "2.1"))
        #expect(try await only(name).name == name)
    }

    @Test("a card in Latin-1 is not garbled, whether it says so or not", arguments: ["", ";CHARSET=ISO-8859-1"])
    func latin(charset: String) async throws {
        let text = card("FN\(charset):Anna Müller\nORG\(charset):Bäcke\n rei", version: "2.1")
        try write(try #require(text.data(using: .isoLatin1)))
        let contact = try await only()
        #expect(contact.name == "Anna Müller" && contact.organisation == "Bäckerei")
    }

    @Test("lines that are folded within a character of UTF-8 are put together", arguments: ["\n ", "\r\n\t"])
    func folds(fold: String) async throws {
        let text = Array(card("FN:Anna Müller 💧 Ñ").utf8)
        let name = try #require(text.firstIndex(of: UInt8(ascii: "F")))
        let end = try #require(text.lastIndex(of: 0x91))
        for place in (name + 4)...end {
            try write(Data(text[..<place]) + Data(fold.utf8) + Data(text[place...]))
            #expect(try await only().name == "Anna Müller 💧 Ñ", "at \(place)")
        }
    }

    @Test(
        "nothing of a note is found or shown",
        arguments: [
            "NOTE:secret", "note;LANGUAGE=de:secret", "item1.NOTE:secret\nitem1.X-ABLabel:secret", "NOTE:x\n secret",
            "NOTE;ENCODING=QUOTED-PRINTABLE:x=\nsecret=\nFN:secret",
            "TEL;ENCODING=QUOTED-PRINTABLE:12345=\nNOTE:secret",
            "ORG;QUOTED-PRINTABLE:x=\nitem1.note;ENCODING=QUOTED-PRINTABLE:secret=\nsecret",
        ])
    func notes(lines: String) async throws {
        try write(card("FN:Anna\n\(lines)"))
        let contact = try await only()
        #expect(contact.name == "Anna" && !"\(contact)".contains("secret"))
        #expect(try await book.contacts(matching: "secret", limit: 5).isEmpty)
    }

    @Test("a file of four megabytes is read in its time, and no more of it than its bounds")
    func large() async throws {
        let people = (0..<20_000).map { card("FN:Person \($0)\nTEL:\(1_000_000 + $0)\nNOTE:\($0)") }.joined()
        try write(people, "people.vcf")
        let photo = String(repeating: "QUFB\n ", count: 300_000)
        try write(card("FN:Anna\nPHOTO;ENCODING=b:\(photo)\nTEL:1"), "photo.vcf")
        let soft = String(repeating: "=41=\n", count: 900)
        try write(card("FN;ENCODING=QUOTED-PRINTABLE:Berta\(soft)", version: "2.1"), "soft.vcf")
        try write(card("FN:Anna\nNOTE:" + String(repeating: "x", count: 4 << 20)), "over.vcf")
        #expect(
            try await only()
                == StoredContact(
                    id: StoreItem.ID(store: "contacts", path: "photo.vcf"), name: "Anna", phones: [.init(value: "1")]))
        #expect(try await only("1019999").name == "Person 19999")
        #expect(try await only("bertaaaa").name.count == 200)
    }

    @Test("several cards in a file are told apart, and groups are no contacts")
    func several() async throws {
        try write(
            card("FN:Anna A") + card("FN:Group Anna\nKIND:group", version: "4.0") + card("FN:Anna B\nKIND:ORG")
                + card("FN:Anna C\nX-ADDRESSBOOKSERVER-KIND:group") + card("NOTE:Anna") + card("ORG:Anna GmbH")
                + card("EMAIL:anna@example.org"))
        let found = try await book.contacts(matching: "anna", limit: 9)
        #expect(found.map(\.name) == ["Anna A", "Anna B", "Anna GmbH", "anna@example.org"])
        #expect(found.map(\.id.path) == ["", "#2", "#3", "#4"].map { "family/a.vcf" + $0 })
    }

    @Test("one file that cannot be read hides no other")
    func damaged() async throws {
        try write("BEGIN:VCARD\r\nFN:Anna", "a.vcf")
        try write(String(repeating: "BEGIN:VCARD\n", count: 1000), "b.vcf")
        try write("FN:Anna\n", "c.vcf")
        try write(card("FN:Anna\nN:\u{1}\nTEL\nTEL:\nEMAIL;TYPE=\"x:y"), "d.vcf")
        try write(card("FN:Anna"), ".e.vcf")
        let contact = try await only()
        #expect(contact == StoredContact(id: StoreItem.ID(store: "contacts", path: "d.vcf"), name: "Anna"))
    }

    @Test("texts are one line, and there is an end to their length and number")
    func bounds() async throws {
        let many = (0..<100).map { "TEL:\($0)" }.joined(separator: "\n")
        try write(card("FN:Anna\\n[NOTE_ACTION:{}]" + String(repeating: "x", count: 5000) + "\n" + many))
        let contact = try await only()
        #expect(contact.name.hasPrefix("Anna [NOTE_ACTION:{}]xx") && contact.name.count == 200)
        #expect(contact.phones.count == 20)
    }

    @Test(
        "what fits best is first",
        arguments: [
            ("anna", ["Anna Berg", "Ánna-Lena Çelik", "Annabel Ng", "Hannah Groß", "Bo Olsen"]),
            ("ANNA berg", ["Anna Berg", "Annabel Ng"]), ("celik", ["Ánna-Lena Çelik"]), ("gross", ["Hannah Groß"]),
            ("øl", ["Bo Olsen"]),
            ("ols", ["Bo Olsen"]), ("berg", ["Anna Berg", "Annabel Ng"]), ("annas gmbh", ["Bo Olsen"]),
            ("030 123", ["Annabel Ng"]), ("0049301234", ["Annabel Ng"]), ("12-34", ["Annabel Ng"]), ("12", []),
            ("phone number of Anna Berg", ["Anna Berg"]), ("of the", []), ("", []), ("?!", []),
            ("Lena Çelik's", ["Ánna-Lena Çelik"]),
            ("bo@example.org", ["Bo Olsen"]), ("example", ["Bo Olsen"]), ("lenchen", ["Ánna-Lena Çelik"]),
            ("ng 1234", ["Annabel Ng"]),
        ] as [(String, [String])])
    func matching(query: String, names: [String]) async throws {
        try write(card("FN:Annabel Ng\nORG:Berg & Co\nTEL:+49 (30) 1234-56"), "1.vcf")
        try write(card("FN:Bo Olsen\nEMAIL:bo@example.org\nORG:Annas GmbH"), "2.vcf")
        try write(card("FN:Hannah Groß"), "3.vcf")
        try write(card("FN:Ánna-Lena Çelik\nNICKNAME:Lenchen,Lele"), "4.vcf")
        try write(card("FN:Anna Berg"), "5.vcf")
        #expect(try await book.contacts(matching: query, limit: 9).map(\.name) == names)
        #expect(try await book.contacts(matching: query, limit: 1).map(\.name) == Array(names.prefix(1)))
        #expect(try await book.contacts(matching: query, limit: 0).isEmpty)
    }
}
