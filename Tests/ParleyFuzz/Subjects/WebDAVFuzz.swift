// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyRuntime

/// Damaged answers of calendar servers. What is read keeps to the limits, and is the same each time; no address in it
/// leads out of the server.
struct WebDAVFuzz: FuzzSubject {
    static let name = "webdav"

    private static let pieces = [
        "<", ">", "</", "/>", "<a>", "</a>", "<d:prop>", "</d:prop>", "<!--", "-->", "<![CDATA[", "]]>", "<?xml?>",
        "<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;\">]>", "&c;", "&#x110000;", "&#0;", "&amp;",
        "xmlns=\"DAV:\"", "xmlns:d=\"x\"", "=", "'", "\"", "..", "%2e%2e", "%2F", "%00", "//other.example/", "\u{0}",
        "é",
    ].map { Array($0.utf8) }
    private static let seeds = [
        """
        <?xml version="1.0" encoding="utf-8"?>
        <d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response><d:href>/me/work/a%20b.ics</d:href>
        <d:propstat><d:prop><d:getetag>"1"</d:getetag><c:calendar-data><![CDATA[BEGIN:VCALENDAR]]></c:calendar-data></d:prop>
        <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:response><d:href>/me/work/c.ics</d:href>
        <d:status>HTTP/1.1 404 Not Found</d:status></d:response><d:sync-token>t&amp;1</d:sync-token></d:multistatus>
        """,
        "<a xmlns='DAV:'><b c='d&#233;'>e<!-- f --><g/></b></a>",
    ].map { Array($0.utf8) }

    func run(_ random: inout SplitMix64) throws {
        var bytes = random.mutated(random.pick(Self.seeds), changes: 12, with: Self.pieces)
        if random.oneIn(100) {
            let piece = random.pick(Self.pieces)
            bytes += (0..<random.int(100...10_000)).flatMap { _ in piece }
        }
        let data = Data(bytes)
        let tree = try? XMLTree(reading: data)
        guard tree == (try? XMLTree(reading: data)) else {
            throw FuzzFailure("XML is read differently the second time.")
        }
        if let tree {
            let size = Self.measure(tree)
            guard size.depth <= XMLTree.Limits().depth else {
                throw FuzzFailure("The tree has a depth of \(size.depth).")
            }
            guard size.bytes <= bytes.count else { throw FuzzFailure("\(bytes.count) bytes became \(size.bytes).") }
        }
        guard let answer = try? Multistatus(reading: data), let server = URL(string: "https://dav.example/me/") else {
            return
        }
        for response in answer.responses {
            guard let path = DAVPath(href: response.href, on: server) else { continue }
            // A name may have a slash, which stays escaped; what becomes a file's name is checked there.
            guard !path.names.contains(where: { ["", ".", ".."].contains($0) }) else {
                throw FuzzFailure("The path of \(response.href) has the names \(path.names).")
            }
        }
    }

    private static func measure(_ tree: XMLTree) -> (depth: Int, bytes: Int) {
        tree.children.reduce((1, tree.text.utf8.count)) { sum, child in
            let size = measure(child)
            return (max(sum.0, size.depth + 1), sum.1 + size.bytes)
        }
    }
}
