// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import Testing

@Suite("XMLTree")
struct XMLTreeTests {
    private func tree(_ text: String, _ limits: XMLTree.Limits = .init()) throws -> XMLTree {
        try XMLTree(reading: Data(text.utf8), limits: limits)
    }

    private func code(_ data: Data, _ limits: XMLTree.Limits = .init()) -> AssistantError.Code? {
        do {
            _ = try XMLTree(reading: data, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("elements have names in namespaces, whatever the prefixes, and their text")
    func reading() throws {
        let tree = try tree(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- by a server -->
            <x:multistatus xmlns:x="DAV:" xmlns="urn:ietf:params:xml:ns:caldav">
              <x:href> /a&amp;b </x:href><comp name="VEVENT"/><calendar-data><![CDATA[<!DOCTYPE a>&amp;
            b]]></calendar-data></x:multistatus>
            """)
        #expect(tree.name == .dav("multistatus"))
        #expect(tree[.dav("href")]?.word == "/a&b")
        #expect(tree[.calendar("comp")]?.attributes == ["name": "VEVENT"])
        #expect(tree[.calendar("calendar-data")]?.text == "<!DOCTYPE a>&amp;\nb")
    }

    @Test(
        "declarations of types and entities are refused",
        arguments: [
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            "<?xml version=\"1.0\"?><!-- x --><!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
            "\u{FEFF}  <!DOCTYPE a><a/>",
            "<?xml version=\"1.0\" encoding=\"utf-7\"?>+ADwAIQ-DOCTYPE a+AD4-<a/>",
        ])
    func declarations(text: String) {
        #expect(code(Data(text.utf8)) == .invalidAnswer)
    }

    @Test("text in UTF-16 is refused")
    func otherEncoding() throws {
        let data = try #require("<?xml version=\"1.0\" encoding=\"utf-16\"?><a/>".data(using: .utf16))
        #expect(code(data) == .invalidAnswer)
    }

    @Test("too deep and too many elements are refused, and so is what is no XML")
    func bounds() {
        let deep = String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40)
        #expect(code(Data(deep.utf8)) == .tooLarge)
        #expect(code(Data((String(repeating: "<a>", count: 30) + String(repeating: "</a>", count: 30)).utf8)) == nil)
        var limits = XMLTree.Limits()
        limits.elements = 10
        #expect(code(Data(("<a>" + String(repeating: "<b/>", count: 10) + "</a>").utf8), limits) == .tooLarge)
        let broken = [
            "", "<a>", "text", "<a></b>", "<a>&unknown;</a>", "{}", "<a/><b/>", "<a/>x", "<b:a/>", "<a b/>", "<a b=c/>",
            "<a b='1' b='2'/>", "<a b='1'c='2'/>", "<a>&#0;</a>", "<a>&#x110000;</a>", "<a>&#xD800;</a>", "<a>&#;</a>",
            "<a b='<'/>", "<a><![CDATA[</a>", "<a><!-- </a>", "< a/>", "<a", "</a>", "<a:/>", "<:a/>", "<a>&amp</a>",
        ]
        for text in broken {
            #expect(code(Data(text.utf8)) == .invalidAnswer, "\(text)")
        }
    }

    @Test("no cut and no changed byte ends the process")
    func damage() {
        let text = "<?xml version=\"1.0\"?><d:a xmlns:d=\"DAV:\" b=\"c\"><![CDATA[x]]>&#65;<d:e>é</d:e></d:a>"
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(code(Data(bytes.prefix(count))) != nil) }
        for place in bytes.indices {
            for change: UInt8 in [0x00, 0x20, 0x3C, 0x80, 0xFF] {
                var changed = bytes
                changed[place] = change
                _ = code(Data(changed))
            }
        }
    }
}
